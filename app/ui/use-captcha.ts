import { type FormEvent, useEffect, useRef, useState } from 'react';
import { captchaToken, loadCaptcha } from './captcha';

/**
 * Holds a form back until its hidden field has a token for `action`. `field` goes onto that input, `guard` is asked at
 * every submit whether the form may leave. Without a site key everything may.
 */
export function useCaptcha(siteKey: string | null, action: string) {
  const field = useRef<HTMLInputElement>(null);
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    // What fails now is tried again, and told, when the form is sent.
    if (siteKey) loadCaptcha(siteKey).catch(() => undefined);
  }, [siteKey]);

  async function fill(form: HTMLFormElement, submitter: HTMLElement | null) {
    if (!siteKey || !field.current) return;
    try {
      field.current.value = await captchaToken(siteKey, action);
      // A form that is still telling of its submission takes no other: https://html.spec.whatwg.org/#dom-form-requestsubmit
      setTimeout(() => form.requestSubmit(submitter));
    } catch {
      setHasFailed(true);
    }
  }

  function guard(event: FormEvent<HTMLFormElement>): boolean {
    const { current: input } = field;
    if (!siteKey) return true;
    if (input?.value) {
      // A token serves once; this one has left by then.
      setTimeout(() => {
        input.value = '';
      });
      return true;
    }
    event.preventDefault();
    setHasFailed(false);
    fill(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter);
    return false;
  }

  return { field, guard, hasFailed };
}

/** A form's properties with its own submit behind a guard. */
export function behindGuard<Props extends { onSubmit: (event: FormEvent<HTMLFormElement>) => void }>(
  { onSubmit, ...props }: Props,
  guard: (event: FormEvent<HTMLFormElement>) => boolean,
) {
  return {
    ...props,
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      if (guard(event)) onSubmit(event);
    },
  };
}
