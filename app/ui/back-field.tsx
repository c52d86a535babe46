import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/** Tells a choice where it was made, so that the answer leads back there. */
export function BackField() {
  const { pathname, search } = useLocation();
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const form = input.current?.form;
    // Pages may change their address without a navigation, as the search of the questions does.
    const onFormData = ({ formData }: FormDataEvent) => {
      formData.set('back', window.location.pathname + withoutIndex(window.location.search));
    };
    form?.addEventListener('formdata', onFormData);
    return () => form?.removeEventListener('formdata', onFormData);
  }, []);

  return <input ref={input} type="hidden" name="back" value={pathname + withoutIndex(search)} />;
}

/** `?index` is how the framework addresses the home page's form. */
function withoutIndex(search: string): string {
  return search.replace(/^\?index=?(?:&|$)/, '?').replace(/^\?$/, '');
}
