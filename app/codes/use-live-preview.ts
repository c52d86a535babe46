import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Drawn } from './code-picture';
import { payloadOf } from './contents';
import { type DesignInput, readDesign } from './form-fields';

const PAUSE_MS = 700;

interface LivePreview {
  drawn: Drawn | null;
  /** What an independent decoder at the server read; undefined while that is not known. */
  readBack: string | null | undefined;
  isTooLong: boolean;
}

/**
 * Redraws the code on every change of the form. The drawing library is loaded by the first change, and after a
 * pause the server is asked to read the drawing. Null until something was changed after the
 * server's last answer: its own preview stands.
 */
export function useLivePreview(
  formRef: RefObject<HTMLFormElement | null>,
  answer: unknown,
): LivePreview | null {
  const [preview, setPreview] = useState<LivePreview | null>(null);
  const picked = useRef<{ file: File; href: string } | null>(null);

  useEffect(() => {
    const file = formRef.current?.elements.namedItem('logo');
    if (!answer) return;
    setPreview(null);
    // What was uploaded is kept by the server now; sent again it would count as a new file.
    if (file instanceof HTMLInputElement && isKept(answer)) file.value = '';
  }, [formRef, answer]);

  useEffect(() => {
    const form = formRef.current;
    if (!form) return;
    const element = form;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = new AbortController();
    let run = 0;

    async function redraw() {
      run += 1;
      const current = run;
      clearTimeout(timer);
      asked.abort();
      const { drawCode, CodeTooLongError } = await import('./pictures/code-image');
      if (current !== run) return;
      const design = readDesign(element);
      const payload = payloadOf(design.fields);
      if (payload === '') return setPreview({ drawn: null, readBack: undefined, isTooLong: false });
      try {
        const { size, path, logo } = drawCode(payload, {
          logoHref: logoHref(design, picked),
          useWhiteBackground: design.useWhiteBackground,
        });
        setPreview({ drawn: { size, path, logo }, readBack: undefined, isTooLong: false });
      } catch (error) {
        if (!(error instanceof CodeTooLongError)) throw error;
        return setPreview({ drawn: null, readBack: undefined, isTooLong: true });
      }
      // A file that was only chosen has not reached the server, so nobody there could read it.
      if (design.file) return;
      asked = new AbortController();
      const { signal } = asked;
      timer = setTimeout(() => {
        askReadBack(design, signal).then((readBack) => {
          if (!signal.aborted) setPreview((shown) => shown && { ...shown, readBack });
        });
      }, PAUSE_MS);
    }

    const onChange = () => void redraw();
    element.addEventListener('input', onChange);
    element.addEventListener('change', onChange);
    // Typed before the page was ready: draw that too.
    if (payloadOf(readDesign(element).fields) !== '') onChange();
    return () => {
      element.removeEventListener('input', onChange);
      element.removeEventListener('change', onChange);
      clearTimeout(timer);
      asked.abort();
      if (picked.current) URL.revokeObjectURL(picked.current.href);
      picked.current = null;
    };
  }, [formRef]);

  return preview;
}

function logoHref(
  { file, preset, draft }: DesignInput,
  picked: RefObject<{ file: File; href: string } | null> & { current: { file: File; href: string } | null },
): string | undefined {
  if (file) {
    if (picked.current?.file !== file) {
      if (picked.current) URL.revokeObjectURL(picked.current.href);
      picked.current = { file, href: URL.createObjectURL(file) };
    }
    return picked.current?.href;
  }
  if (preset) return `/presets/${preset}`;
  return draft ? `/drafts/${draft}/logo` : undefined;
}

async function askReadBack(design: DesignInput, signal: AbortSignal): Promise<string | null | undefined> {
  const { fields, useWhiteBackground, preset, draft } = design;
  try {
    const response = await fetch('/create/receipt', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ fields, useWhiteBackground, preset, draft }),
      signal,
    });
    return response.ok ? ((await response.json()) as { readBack: string | null }).readBack : undefined;
  } catch {
    // Offline or typing on: the receipt line simply stays empty.
    return undefined;
  }
}

function isKept(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'preview' in answer && answer.preview !== null;
}
