import { useLocation } from '@remix-run/react';

/** Tells a choice where it was made, so that the answer leads back there. */
export function BackField() {
  const { pathname, search } = useLocation();
  // `?index` is how the framework addresses the home page's form.
  return <input type="hidden" name="back" value={pathname + search.replace(/^\?index$/, '')} />;
}
