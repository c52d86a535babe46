import { useEffect, useState } from 'react';

const SCRIPT = 'https://www.google.com/recaptcha/api.js';
const CHECK_DELAY_MS = 25;
const TIMEOUT_MS = 8_000;

export type Captcha = { siteKey: string; formToken: string } | null;

/**
 * Protects a form from bots: call `prepare` before each submission and render `fields` inside the form. The
 * form's own token is used if no script runs or the captcha does not load. Without a `check` both are empty.
 */
export function useCaptcha(check: Captcha, action: string) {
  const [token, setToken] = useState('');
  const siteKey = check?.siteKey;

  useEffect(() => {
    // A failed load is retried when the form is submitted.
    if (siteKey) loadCaptcha(siteKey).catch(() => undefined);
  }, [siteKey]);

  /** Puts a new token into the form, as each is valid for one submission; empty if none arrives in time. */
  async function fetchToken(key: string): Promise<void> {
    setToken(await withTimeout(captchaToken(key, action)).catch(() => ''));
  }

  const fields = check && (
    <>
      <input type="hidden" name="captcha" value={token} />
      <input type="hidden" name="formToken" value={check.formToken} />
    </>
  );
  return { fields, prepare: siteKey ? () => fetchToken(siteKey) : undefined };
}

/** Gives up after the longest time that a user should wait for a third-party script. */
async function withTimeout<T>(pending: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
  });
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
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
    // The script loads another one, so `grecaptcha` is not ready yet.
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
