import { type RefObject, useEffect, useRef, useState } from 'react';
import type { FixedCode, LivePreview, Picked } from './live-drawing';

const PAUSE_MS = 700;
const CONTENTS = ['content', 'address', 'ssid'];

/**
 * Redraws the code on every change of the form. The drawing library is loaded by the first change, and after a
 * pause the server is asked to read and grade the drawing. Null until something was changed after the
 * server's last answer: its own preview stands. With a `code` the form is of the look of that code alone.
 */
export function useLivePreview(
  formRef: RefObject<HTMLFormElement | null>,
  answer: unknown,
  code?: FixedCode,
): LivePreview | null {
  const [preview, setPreview] = useState<LivePreview | null>(null);
  const picked = useRef<Picked['current']>(null);
  const fixed = useRef(code);
  fixed.current = code;
  /** When the server answered last: the draft's logo is another one since. */
  const answeredAt = useRef(0);

  useEffect(() => {
    const file = formRef.current?.elements.namedItem('logo');
    if (!answer) return;
    answeredAt.current = Date.now();
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
      const { drawLive, askExamination } = await import('./live-drawing');
      if (current !== run) return;
      const { preview: drawn, design } = await drawLive(element, {
        picked,
        logoVersion: answeredAt.current,
        code: fixed.current,
        onArrival: () => void redraw(),
      });
      if (current !== run) return;
      setPreview(drawn);
      if (!design) return;
      asked = new AbortController();
      const { signal } = asked;
      timer = setTimeout(() => {
        askExamination(design, signal).then((examination) => {
          if (!signal.aborted) setPreview((shown) => shown && { ...shown, examination });
        });
      }, PAUSE_MS);
    }

    const onChange = () => void redraw();
    element.addEventListener('input', onChange);
    element.addEventListener('change', onChange);
    // Typed before the page was ready: draw that too.
    if (isFilled(element)) onChange();
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

function isFilled(form: HTMLFormElement): boolean {
  return CONTENTS.some((name) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement && field.value !== '';
  });
}

function isKept(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'preview' in answer && answer.preview !== null;
}
