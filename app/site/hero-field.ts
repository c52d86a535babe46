import { type RefObject, useEffect } from 'react';

const WIDE_AND_WELCOME =
  '(width >= 72rem) and (prefers-reduced-motion: no-preference) and (forced-colors: none) and (prefers-contrast: no-preference)';

/** Lays a quiet field of modules behind an element, after everything else; where it cannot be, nothing is missing. */
export function useHeroField(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    const element = place.current;
    if (!element || !isWelcome()) return;
    let clear: (() => void) | undefined;
    let isLeft = false;

    const begin = () =>
      whenIdle(async () => {
        try {
          const { layField } = await import('./hero-field-drawing');
          if (!isLeft) clear = layField(element);
        } catch (error) {
          console.warn('The field of modules is left out:', error);
        }
      });
    if (document.readyState === 'complete') begin();
    else window.addEventListener('load', begin, { once: true });

    return () => {
      isLeft = true;
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
