import type { CaptionOutline } from '~/codes/pictures/code-image';

const PAUSE_MS = 150;
/** Response status for a caption that cannot be drawn. */
const UNDRAWN = 422;

/** Keyed by caption; undefined for one that cannot be drawn. */
const outlines = new Map<string, CaptionOutline | undefined>();
let last: CaptionOutline | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Outlines of a caption, which the server makes from its font. Until they arrive, those of the previous caption are
 * returned; `onArrival` is called when they do.
 */
export function outlineOf(caption: string, onArrival: () => void): CaptionOutline | undefined {
  clearTimeout(timer);
  if (caption === '') return undefined;
  if (outlines.has(caption)) {
    last = outlines.get(caption);
    return last;
  }
  timer = setTimeout(async () => {
    try {
      const response = await fetch(`/captions/outline?text=${encodeURIComponent(caption)}`);
      const isKnown = response.ok || response.status === UNDRAWN;
      if (!isKnown) return;
      outlines.set(caption, response.ok ? ((await response.json()) as CaptionOutline) : undefined);
      onArrival();
    } catch {
      // Offline: as with a busy server, the next change requests it again.
    }
  }, PAUSE_MS);
  return last;
}
