import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/**
 * Attributes of a button that submits the page's form along with its own name and value, so that the page
 * returns with everything typed; none without a form. `query` is added to the address.
 */
export function useFormSwitch(form: string | undefined, query: Record<string, string> = {}) {
  const { pathname, search } = useLocation();
  if (!form) return {};
  const whole = new URLSearchParams(search);
  // Remix addresses the action of the home page by `?index`.
  if (pathname === '/') whole.set('index', '');
  for (const [name, value] of Object.entries(query)) whole.set(name, value);
  const formAction = whole.size > 0 ? `${pathname}?${whole}` : pathname;
  return { form, formAction, formMethod: 'post', formNoValidate: true };
}

/** Hidden field with the current page, to which the response redirects. */
export function BackField() {
  const { pathname, search } = useLocation();
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const form = input.current?.form;
    // Pages may change their address without a navigation, as the search of the FAQ does.
    const onFormData = ({ formData }: FormDataEvent) => {
      formData.set('back', window.location.pathname + withoutIndex(window.location.search));
    };
    form?.addEventListener('formdata', onFormData);
    return () => form?.removeEventListener('formdata', onFormData);
  }, []);

  return <input ref={input} type="hidden" name="back" value={pathname + withoutIndex(search)} />;
}

/** Remix addresses the action of the home page by `?index`. */
function withoutIndex(search: string): string {
  return search.replace(/^\?index=?(?:&|$)/, '?').replace(/^\?$/, '');
}
