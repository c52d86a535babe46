import { type RefObject, useEffect } from 'react';

const WIDE_AND_WELCOME =
  '(width >= 72rem) and (prefers-reduced-motion: no-preference) and (forced-colors: none) and (prefers-contrast: no-preference)';

/** What the page's own scripts ask for once they run has arrived by then. */
const SETTLED_MS = 300;

/** Lays a quiet field of modules behind an element, after everything else; where it cannot be, nothing is missing. */
export function useHeroField(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = place.current;
    if (!element || !isWelcome()) return;
    let clear: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;

    const lay = async () => {
      try {
        const { layField } = await import('./hero-field-drawing');
        if (!isLeft) clear = layField(element);
      } catch (error) {
        console.warn('The field of modules is left out:', error);
      }
    };
    const begin = () => {
      timer = setTimeout(() => whenIdle(lay), SETTLED_MS);
    };
    if (document.readyState === 'complete') begin();
    else window.addEventListener('load', begin, { once: true });

    return () => {
      isLeft = true;
      clearTimeout(timer);
      window.removeEventListener('load', begin);
      clear?.();
    };
  }, [place]);
}

function isWelcome(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return (
    'WebGLRenderingContext' in window && !connection?.saveData && window.matchMedia(WIDE_AND_WELCOME).matches
  );
}

/** Safari has no idle callback. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(work);
  else setTimeout(work, 500);
}
