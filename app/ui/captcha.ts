const SCRIPT = 'https://www.google.com/recaptcha/api.js';
const CHECK_DELAY_MS = 25;

/** https://developers.google.com/recaptcha/docs/v3 */
interface Captcha {
  execute?: (siteKey: string, options: { action: string }) => PromiseLike<string>;
}

let loaded: { siteKey: string; captcha: Promise<Required<Captcha>> } | undefined;

/** A token for one action. Rejects when the script does not load, or was loaded with a different site key. */
export async function captchaToken(siteKey: string, action: string): Promise<string> {
  const captcha = await loadCaptcha(siteKey);
  return captcha.execute(siteKey, { action });
}

/** Puts the script into the page once; after a failure the next call tries again. */
export function loadCaptcha(siteKey: string): Promise<Required<Captcha>> {
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

function appendScript(siteKey: string): Promise<Required<Captcha>> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${SCRIPT}?render=${encodeURIComponent(siteKey)}`;
    script.async = true;
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error('script load failure'));
    });
    // The script loads another one before it is ready.
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

function readyCaptcha(): Required<Captcha> | null {
  const { grecaptcha } = window as { grecaptcha?: Captcha };
  return grecaptcha?.execute ? (grecaptcha as Required<Captcha>) : null;
}
