import type { Batch } from '#host/visits/count/journal';

/** Batches that could not be written to disk, in the order in which they came. */
export class UnwrittenBatches {
  readonly #batches = new Set<Batch>();
  #bytes = 0;
  #visits = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get visits(): number {
    return this.#visits;
  }

  add(batch: Batch): void {
    this.#batches.add(batch);
    this.#bytes += batch.visits.length;
    this.#visits += batch.size;
  }

  /** False if it is none of them. */
  delete(batch: Batch): boolean {
    if (!this.#batches.delete(batch)) return false;
    this.#bytes -= batch.visits.length;
    this.#visits -= batch.size;
    return true;
  }

  /** The first ones, up to so many bytes or a single one. */
  first(bytes: number): Batch[] {
    const first: Batch[] = [];
    let size = 0;
    for (const batch of this.#batches) {
      size += batch.visits.length;
      if (size > bytes && first.length > 0) break;
      first.push(batch);
    }
    return first;
  }

  [Symbol.iterator](): Iterator<Batch> {
    return this.#batches.values();
  }
}
