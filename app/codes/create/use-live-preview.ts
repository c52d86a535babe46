import { type RefObject, useEffect, useRef, useState } from 'react';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import type { FixedCode, LivePreview, Picked } from './live-drawing';

const PAUSE_MS = 700;
const CONTENTS = Object.values(CONTENT_FORMS).map(({ main }) => main);

let loaded: typeof import('./live-drawing') | undefined;

/**
 * Redraws the code on every change of the form. The drawing library is loaded on the first change, and after
 * a pause the server is asked to read and grade the drawing. Null until something changes after `server`, the
 * last response with a drawing, which is shown until then. With a `code`, the form edits only that code's
 * look.
 */
export function useLivePreview(
  formRef: RefObject<HTMLFormElement | null>,
  actionData: unknown,
  server: object | null | undefined,
  code?: FixedCode,
): LivePreview | null {
  const [preview, setPreview] = useState<LivePreview | null>(null);
  const picked = useRef<Picked['current']>(null);
  const fixed = useRef(code);
  fixed.current = code;
  /** Time of the last response: the draft's logo may have changed since. */
  const respondedAt = useRef(0);
  const handled = useRef<unknown>();
  const redrawForm = useRef(() => {});

  useEffect(() => {
    const form = formRef.current;
    if (!form) return;
    const element = form;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let controller = new AbortController();
    let run = 0;

    async function redraw() {
      run += 1;
      const current = run;
      clearTimeout(timer);
      controller.abort();
      await nextPaint();
      if (current !== run) return;
      // Importing it again would delay every drawing by some 10 ms, another turn of the event loop.
      loaded ??= await import('./live-drawing');
      const { drawLive, requestFindings } = loaded;
      if (current !== run) return;
      const { preview: drawn, design } = await drawLive(element, {
        picked,
        logoVersion: respondedAt.current,
        code: fixed.current,
        onArrival: () => void redraw(),
      });
      if (current !== run) return;
      setPreview(drawn);
      if (!design) return;
      controller = new AbortController();
      const { signal } = controller;
      timer = setTimeout(() => {
        requestFindings(design, picked, signal).then((findings) => {
          if (!signal.aborted) setPreview((shown) => shown && { ...shown, ...findings });
        });
      }, PAUSE_MS);
    }

    const onChange = () => void redraw();
    // The response has the findings, and a new visitor's file must not be kept twice, for two visitors.
    const onSubmit = () => {
      run += 1;
      clearTimeout(timer);
      controller.abort();
    };
    redrawForm.current = onChange;
    element.addEventListener('input', onChange);
    element.addEventListener('change', onChange);
    element.addEventListener('submit', onSubmit);
    // Something was typed before hydration: draw that too.
    if (isFilled(element) || (fixed.current && isChanged(element))) onChange();
    return () => {
      run += 1;
      element.removeEventListener('input', onChange);
      element.removeEventListener('change', onChange);
      element.removeEventListener('submit', onSubmit);
      clearTimeout(timer);
      controller.abort();
      loaded?.releasePicked(picked);
    };
  }, [formRef]);

  useEffect(() => {
    if (handled.current === actionData) return;
    handled.current = actionData;
    if (actionData) respondedAt.current = Date.now();
    // Refused, or lost when the language was switched: redraw what is still in the form.
    if (!server) return redrawForm.current();
    setPreview(null);
    // The server now has the upload; sent again, it would count as a new file.
    const file = formRef.current?.elements.namedItem('logo');
    if (file instanceof HTMLInputElement) file.value = '';
  }, [formRef, actionData, server]);

  return preview;
}

/** Resolves when what was typed is on the screen, so that no key waits for a drawing. */
function nextPaint(): Promise<void> {
  return new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
}

/** Whether any control differs from its rendered value. */
function isChanged(form: HTMLFormElement): boolean {
  return Array.from(form.elements).some(
    (control) =>
      control instanceof HTMLInputElement &&
      (control.value !== control.defaultValue || control.checked !== control.defaultChecked),
  );
}

function isFilled(form: HTMLFormElement): boolean {
  return CONTENTS.some((name) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement && field.value !== '';
  });
}
