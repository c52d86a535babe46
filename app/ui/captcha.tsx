import { type FormEvent, useEffect, useRef } from 'react';

const SCRIPT = 'https://www.google.com/recaptcha/api.js';
const CHECK_DELAY_MS = 25;
const LONGEST_WAIT_MS = 8_000;

export type Captcha = { siteKey: string; formToken: string } | null;

/**
 * What shows that no robot is at work on a form: `guard` is asked at every submit, `fields` go into the form. The
 * form's own token goes along for where no script runs or the captcha does not load. Nothing at all without a check.
 */
export function useCaptcha(check: Captcha, action: string) {
  const { field, guard } = useToken(check?.siteKey ?? null, action);
  const fields = check && (
    <>
      <input ref={field} type="hidden" name="captcha" defaultValue="" />
      <input type="hidden" name="formToken" value={check.formToken} />
    </>
  );
  return { fields, guard };
}

/**
 * Holds a form back until its hidden field has a token for `action`. `field` goes onto that input, `guard` is asked at
 * every submit whether the form may leave. Without a site key everything may, and where no token can be had the form
 * leaves without: its form token stands in.
 */
function useToken(siteKey: string | null, action: string) {
  const field = useRef<HTMLInputElement>(null);
  const isWithout = useRef(false);

  useEffect(() => {
    // What fails now is tried again when the form is sent.
    if (siteKey) loadCaptcha(siteKey).catch(() => undefined);
  }, [siteKey]);

  async function fill(form: HTMLFormElement, submitter: HTMLElement | null) {
    if (!siteKey || !field.current) return;
    try {
      field.current.value = await inTime(captchaToken(siteKey, action));
    } catch {
      isWithout.current = true;
    }
    // A form that is still telling of its submission takes no other: https://html.spec.whatwg.org/#dom-form-requestsubmit
    setTimeout(() => form.requestSubmit(submitter));
  }

  function guard(event: FormEvent<HTMLFormElement>): boolean {
    const { current: input } = field;
    if (!siteKey) return true;
    if (isWithout.current || input?.value) {
      // A token is good for one submit, and this one is on its way by then.
      setTimeout(() => {
        isWithout.current = false;
        if (input) input.value = '';
      });
      return true;
    }
    event.preventDefault();
    fill(event.currentTarget, (event.nativeEvent as SubmitEvent).submitter);
    return false;
  }

  return { field, guard };
}

/** Gives up after the longest time that anybody should wait for a script of another site. */
async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), LONGEST_WAIT_MS);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/** https://developers.google.com/recaptcha/docs/v3 */
interface Recaptcha {
  execute?: (siteKey: string, options: { action: string }) => PromiseLike<string>;
}

let loaded: { siteKey: string; captcha: Promise<Required<Recaptcha>> } | undefined;

/** A token for one action. Rejects when the script does not load, or was loaded with a different site key. */
export async function captchaToken(siteKey: string, action: string): Promise<string> {
  const captcha = await loadCaptcha(siteKey);
  return captcha.execute(siteKey, { action });
}

/** Puts the script into the page once; after a failure the next call tries again. */
export function loadCaptcha(siteKey: string): Promise<Required<Recaptcha>> {
  if (loaded && loaded.siteKey !== siteKey) {
    return Promise.reject(new Error('already loaded with a different site key'));
  }
  if (!loaded) {
    const captcha = appendScript(siteKey);
    loaded = { siteKey, captcha };
    captcha.catch(() => {
      loaded = undefined;
    });
  }
  return loaded.captcha;
}

function appendScript(siteKey: string): Promise<Required<Recaptcha>> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${SCRIPT}?render=${encodeURIComponent(siteKey)}`;
    script.async = true;
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('script load failure'));
    });
    // The script loads another one, so it is not ready yet.
    script.addEventListener('load', () => {
      const timer = setInterval(() => {
        const captcha = readyCaptcha();
        if (!captcha) return;
        clearInterval(timer);
        resolve(captcha);
      }, CHECK_DELAY_MS);
    });
    document.head.append(script);
  });
}

function readyCaptcha(): Required<Recaptcha> | null {
  const { grecaptcha } = window as { grecaptcha?: Recaptcha };
  return grecaptcha?.execute ? (grecaptcha as Required<Recaptcha>) : null;
}
