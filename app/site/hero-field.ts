import { type RefObject, useEffect } from 'react';

const SUITABLE =
  '(width >= 72rem) and (prefers-reduced-motion: no-preference) and (forced-colors: none) and (prefers-contrast: no-preference)';

/** By then, the first requests of the page's own scripts have finished. */
const SETTLED_MS = 300;

/**
 * Draws a decorative field of modules behind an element, after everything else has loaded; the page is
 * complete without it.
 */
export function useHeroField(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = place.current;
    if (!element || !isSuitable()) return;
    let clear: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isUnmounted = false;

    const mount = async () => {
      try {
        const { mountField } = await import('./hero-field-drawing');
        if (!isUnmounted) clear = mountField(element);
      } catch (error) {
        console.warn('The field of modules is left out:', error);
      }
    };
    const schedule = () => {
      timer = setTimeout(() => whenIdle(mount), SETTLED_MS);
    };
    if (document.readyState === 'complete') schedule();
    else window.addEventListener('load', schedule, { once: true });

    return () => {
      isUnmounted = true;
      clearTimeout(timer);
      window.removeEventListener('load', schedule);
      clear?.();
    };
  }, [place]);
}

function isSuitable(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return 'WebGLRenderingContext' in window && !connection?.saveData && window.matchMedia(SUITABLE).matches;
}

/** Safari has no idle callback. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work);
  else setTimeout(work, 500);
}
