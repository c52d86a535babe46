import type { CaptionOutline } from '~/codes/pictures/code-image';

const PAUSE_MS = 150;

/** By caption; of one that is not drawn, nothing. */
const outlines = new Map<string, CaptionOutline | undefined>();
let last: CaptionOutline | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Outlines of a caption, which the server makes of its font. Until they are here those of the last one stand in for
 * them; `onArrival` tells when they are.
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
      outlines.set(caption, response.ok ? ((await response.json()) as CaptionOutline) : undefined);
      onArrival();
    } catch {
      // Offline: the next change asks again.
    }
  }, PAUSE_MS);
  return last;
}
