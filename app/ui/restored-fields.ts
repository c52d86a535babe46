import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/** Forms remembered at a time, the last ones left. */
const MOST = 20;
const CHANGES = ['input', 'change'];

/** Values of fields, by name. */
export type Values = Record<string, unknown>;

/** A form as it was left. */
interface Left {
  typed: Typed[];
  /** What it knew to be saved: a value that has been saved since then is newer than what was typed. */
  known: Values[];
  /** The key it was sent with, where it was not accepted. */
  sentKey: string | undefined;
}

/** What forms held when they were left, in this document only: gone with it, and told to no server. */
const kept = new Map<string, Left>();

interface Restored {
  /** Where what was typed is kept. */
  place: string;
  /** What its fields hold before anything is typed. */
  saved: Values;
  known: Values[];
  sentKey: string | undefined;
  /** Whether what it holds has been accepted: nothing of it is to be sent any more. */
  isAccepted: boolean;
}

/**
 * Fills a form again with what it held when it was left without a page load, unless that was accepted. Browsers do so
 * for documents only.
 */
export function useRestoredFields(id: string | undefined, form: Restored): void {
  const latest = useRef(form);
  latest.current = form;

  useEffect(() => {
    const element = id === undefined ? null : document.getElementById(id);
    if (!(element instanceof HTMLFormElement)) return;
    const { place, saved } = latest.current;
    const left = kept.get(place);
    if (left) putTyped(element, stillNewest(left, saved));
    return () => {
      const { place, known, sentKey, isAccepted } = latest.current;
      const typed = readTyped(element);
      if (isAccepted) kept.delete(place);
      // A step of a form that shows what was typed in another one keeps nothing of its own.
      if (isAccepted || typed.length === 0) return;
      kept.delete(place);
      kept.set(place, { typed, known, sentKey });
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    };
  }, [id]);
}

/** The page and the step of the browser's history at which a form is filled in again. */
export function usePlace(id: string | undefined): string {
  const { pathname, search, key } = useLocation();
  return `${id} ${pathname}${search} ${key}`;
}

/** The key that a form was sent with before it was left, where it was not accepted. */
export function findSentKey(place: string): string | undefined {
  return kept.get(place)?.sentKey;
}

function stillNewest({ typed, known }: Left, saved: Values): Typed[] {
  return typed.filter(({ name }) => known.some((values) => (values[name] ?? '') === (saved[name] ?? '')));
}

/** Forgets what was typed: the next person may be somebody else. */
export function forgetFields(): void {
  kept.clear();
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Remembers what every field of the page's forms holds, and follows what is typed meanwhile; calling what it answers
 * puts that back wherever it has changed, or with `false` only stops. Files cannot be put back, and stay as long as their field does.
 */
export function captureFields(): (isChanged?: boolean) => void {
  const controls = [...document.querySelectorAll<Control>('main :is(input, select, textarea)')].filter(
    ({ type }) => type !== 'hidden' && type !== 'file',
  );
  const read = () => controls.map((control) => ({ control, ...readValue(control) }));
  let held = read();
  const follow = () => {
    held = read();
  };
  for (const type of CHANGES) document.addEventListener(type, follow);
  return (isChanged = true) => {
    for (const type of CHANGES) document.removeEventListener(type, follow);
    if (!isChanged) return;
    for (const { control, value, checked } of held) {
      if (control.value !== value) control.value = value;
      if (control instanceof HTMLInputElement && control.checked !== checked) control.checked = checked;
    }
  };
}

function readValue(control: Control) {
  return { value: control.value, checked: control instanceof HTMLInputElement && control.checked };
}

/** What one control held; without what nobody typed and what nobody may see again. */
interface Typed {
  name: string;
  type: string;
  value: string;
  checked: boolean;
  files: File[];
}

function readTyped(form: HTMLFormElement): Typed[] {
  return controlsOf(form).map((control) => ({
    name: control.name,
    type: control.type,
    ...readValue(control),
    files: control instanceof HTMLInputElement ? [...(control.files ?? [])] : [],
  }));
}

/** Puts values into a form of the same fields, and says so to whoever follows its input, such as a preview. */
function putTyped(form: HTMLFormElement, typed: Typed[]): void {
  for (const control of controlsOf(form)) {
    const isChoice = control.type === 'radio' || control.type === 'checkbox';
    const found = typed.find(
      ({ name, type, value }) =>
        name === control.name && type === control.type && (!isChoice || value === control.value),
    );
    if (found && put(control, found)) {
      for (const type of CHANGES) control.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
}

/** Whether that changed anything. */
function put(control: Control, { value, checked, files }: Typed): boolean {
  if (control.type === 'file') {
    if (files.length === 0 || !(control instanceof HTMLInputElement)) return false;
    const transfer = new DataTransfer();
    for (const file of files) transfer.items.add(file);
    control.files = transfer.files;
    return true;
  }
  if (control instanceof HTMLInputElement && control.checked !== checked) {
    control.checked = checked;
    return true;
  }
  if (control.value === value) return false;
  control.value = value;
  return true;
}

function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control =>
      (element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement) &&
      !['hidden', 'password'].includes(element.type) &&
      // A password that is shown is a text.
      !/password|one-time-code/.test(element.autocomplete),
  );
}
