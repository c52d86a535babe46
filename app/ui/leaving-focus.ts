/**
 * Call before an element is removed: moves focus from inside it to another element, such as the one that
 * opened it, or else to the main content. Otherwise focus would restart at the top of the page.
 */
export function moveFocusOut(leaving: Element | null, to?: Element | null): void {
  if (!leaving?.contains(document.activeElement)) return;
  if (to instanceof HTMLElement) to.focus();
  if (leaving.contains(document.activeElement))
    document.getElementById('main')?.focus({ preventScroll: true });
}
