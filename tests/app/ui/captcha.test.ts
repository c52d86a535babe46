import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Script extends EventTarget {
  src: string;
  remove(): void;
}

const scripts: Script[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  scripts.length = 0;
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {
    createElement: () => Object.assign(new EventTarget(), { src: '', remove: vi.fn() }),
    head: { append: (script: Script) => scripts.push(script) },
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function become(ready: object): void {
  Object.assign(window, { grecaptcha: ready });
}

test('the script is added to the page once, and a token is requested for its action', async () => {
  const { captchaToken } = await import('~/ui/captcha');
  const execute = vi.fn(async (key: string, { action }: { action: string }) => `${key} ${action}`);
  const tokens = [captchaToken('site-key', 'contact'), captchaToken('site-key', 'login')];
  expect(scripts.map(({ src }) => src)).toEqual(['https://www.google.com/recaptcha/api.js?render=site-key']);
  scripts[0]?.dispatchEvent(new Event('load'));
  become({ execute });
  await vi.advanceTimersByTimeAsync(25);
  expect(await Promise.all(tokens)).toEqual(['site-key contact', 'site-key login']);
});

test('the script is polled every 25 ms until it is ready', async () => {
  const { loadCaptcha } = await import('~/ui/captcha');
  const done = vi.fn();
  loadCaptcha('site-key').then(done);
  become({});
  scripts[0]?.dispatchEvent(new Event('load'));
  await vi.advanceTimersByTimeAsync(60);
  become({ execute: async () => '' });
  await vi.advanceTimersByTimeAsync(14);
  expect(done).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toHaveBeenCalledOnce();
});

test('another site key is refused', async () => {
  const { loadCaptcha } = await import('~/ui/captcha');
  loadCaptcha('site-key');
  await expect(loadCaptcha('another')).rejects.toThrow('already loaded with a different site key');
  expect(scripts).toHaveLength(1);
});

test('a script that fails to load rejects, and the next attempt loads it again', async () => {
  const { captchaToken, loadCaptcha } = await import('~/ui/captcha');
  const first = captchaToken('site-key', 'contact');
  scripts[0]?.dispatchEvent(new Event('error'));
  await expect(first).rejects.toThrow('script load failure');
  expect(scripts[0]?.remove).toHaveBeenCalled();
  loadCaptcha('site-key');
  expect(scripts).toHaveLength(2);
});
