/**
 * The router decodes what stands behind the # of an address, and a % that begins no sign would take the whole page
 * down. Here it is written out as one, on this address and on all that follow within the page.
 */
export function mendFragments(): void {
  const mend = () => {
    const { pathname, search, hash } = location;
    try {
      decodeURIComponent(hash);
    } catch {
      history.replaceState(history.state, '', `${pathname}${search}#${encodeURIComponent(hash.slice(1))}`);
    }
  };
  mend();
  addEventListener('popstate', mend);
}
