import { useLocation, useMatches } from '@remix-run/react';

/**
 * Attributes of a button that sends the page's form along with its own name and value, so that the page comes back
 * with everything typed; none without a form. `query` is added to the address.
 */
export function useFormSwitch(form: string | undefined, query: Record<string, string> = {}) {
  const { pathname, search } = useLocation();
  const isIndex = /[./]_index$/.test(useMatches().at(-1)?.id ?? '');
  if (!form) return {};
  const whole = new URLSearchParams(search);
  // `?index` is how the framework addresses the form of such a page.
  if (isIndex) whole.set('index', '');
  for (const [name, value] of Object.entries(query)) whole.set(name, value);
  const formAction = whole.size > 0 ? `${pathname}?${whole}` : pathname;
  return { form, formAction, formMethod: 'post', formNoValidate: true };
}
