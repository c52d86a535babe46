/**
 * Before an element leaves: a focus in it goes on to another one, such as what brought the element about, and to the
 * page's main part where that cannot take it. Lost with the element, it would be back at the top of the page.
 */
export function handOnFocus(leaving: Element | null, to?: Element | null): void {
  if (!leaving?.contains(document.activeElement)) return;
  if (to instanceof HTMLElement) to.focus();
  if (leaving.contains(document.activeElement))
    document.getElementById('main')?.focus({ preventScroll: true });
}
