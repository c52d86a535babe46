import { type RefObject, useEffect, useRef, useState } from 'react';
import { DEFAULT_STYLE, readColour } from '#contract/style-rules';
import { textOf } from '~/codes/design-input';
import type { FieldMeta } from '~/ui/field';
import {
  COLOUR_FIELDS,
  drawnStyleOf,
  nameOfStyle,
  type OfferedStyle,
  pickable,
  type StyleTexts,
  textsOfStyle,
} from './look-input';
import { STYLE_FIELDS, type StyleField } from './style-fields';

export type LookField = StyleField | 'readyMade';
type Fields = Record<LookField, FieldMeta>;

/** What a form posts of its last state, so that the server knows what was chosen since. */
interface Before {
  readyMade: string;
  /** By the choosers. */
  picked: string;
}

interface Typed {
  beginning: string;
  texts: StyleTexts;
  /** Absent until something is changed: then they are as the fields were drawn. */
  before?: Before;
}

/**
 * Keeps the controls of a look in step once scripts run: one chosen by name fills in the others, changing one of those
 * makes the look one's own, and a colour is the same in its text and its chooser. The server does as much by itself
 * with what the form posts. Answers the fields with what they begin with, what they hold now, and what is posted with
 * them.
 */
export function useLookControls(
  box: RefObject<HTMLElement | null>,
  fields: Fields,
  offered: OfferedStyle[],
): { fields: Fields; texts: StyleTexts; before: Before } {
  const begun = beginningOf(fields);
  const beginning = JSON.stringify(begun);
  const begunWith = useRef(beginning);
  const [typed, setTyped] = useState<Typed>();
  const drawn = withValues(fields, begun, offered);
  const drawnName = useRef(drawn.readyMade.initialValue);
  drawnName.current = drawn.readyMade.initialValue;

  useEffect(() => {
    const form = box.current?.closest('form');
    if (!form) return;
    // What an answer changed takes the place of what was typed; nobody has judged what the page came with.
    if (begunWith.current !== beginning) {
      writeTexts(form, JSON.parse(beginning));
      write(form, 'readyMade', drawnName.current);
    }
    begunWith.current = beginning;
    setTyped({ beginning, texts: readTexts(form) });
  }, [box, beginning]);

  useEffect(() => {
    const element = box.current;
    const form = element?.closest('form');
    if (!element || !form) return;
    const follow = (changed: string) => {
      settle(form, changed, offered);
      // What the server would otherwise take for a choice made since.
      setTyped({ beginning, texts: readTexts(form), before: readBefore(form) });
    };
    const onInput = ({ target }: Event) => follow((target as HTMLInputElement).name);
    // Choices made before scripts ran.
    for (const name of changedEarlier(form)) follow(name);
    element.addEventListener('input', onInput);
    return () => element.removeEventListener('input', onInput);
  }, [box, beginning, offered]);

  const current = typed?.beginning === beginning ? typed : undefined;
  return {
    fields: drawn,
    texts: current?.texts ?? begun,
    before: current?.before ?? {
      readyMade: drawn.readyMade.initialValue,
      picked: COLOUR_FIELDS.map((field) => pickable(begun[field])).join(' '),
    },
  };
}

/** The values the server rendered; a form without a look begins with the default one. */
function beginningOf(fields: Fields): StyleTexts {
  const none = textsOfStyle(DEFAULT_STYLE);
  if (fields.moduleShape.initialValue === undefined) return none;
  return Object.fromEntries(
    STYLE_FIELDS.map((field) => [field, fields[field].initialValue ?? '']),
  ) as StyleTexts;
}

function withValues(fields: Fields, texts: StyleTexts, offered: OfferedStyle[]) {
  const name = nameOfStyle(drawnStyleOf(texts), offered);
  const entries = STYLE_FIELDS.map((field) => [field, { ...fields[field], initialValue: texts[field] }]);
  return {
    ...(Object.fromEntries(entries) as Fields),
    readyMade: { ...fields.readyMade, initialValue: name },
  };
}

function settle(form: HTMLFormElement, changed: string, offered: OfferedStyle[]): void {
  const chosen = changed === 'readyMade' && offered.find(({ name }) => name === valueIn(form, 'readyMade'));
  if (chosen) writeTexts(form, textsOfStyle(chosen.style));
  for (const field of COLOUR_FIELDS) {
    if (changed === `${field}Picked`) write(form, field, valueIn(form, changed));
    const colour = readColour(valueIn(form, field));
    if (colour && changed !== `${field}Picked`) write(form, `${field}Picked`, colour);
  }
  if (changed !== 'readyMade') write(form, 'readyMade', nameOfStyle(drawnStyleOf(readTexts(form)), offered));
}

function readBefore(form: HTMLFormElement): Before {
  return {
    readyMade: valueIn(form, 'readyMade'),
    picked: COLOUR_FIELDS.map((field) => valueIn(form, `${field}Picked`)).join(' '),
  };
}

function changedEarlier(form: HTMLFormElement): string[] {
  const value = (name: string) => valueIn(form, name);
  if (value('readyMade') !== value('readyMadeBefore')) return ['readyMade'];
  const before = value('pickedBefore').split(' ');
  return COLOUR_FIELDS.map((field) => `${field}Picked`).filter(
    (name, place) => value(name) !== before[place],
  );
}

function writeTexts(form: HTMLFormElement, texts: StyleTexts): void {
  for (const field of STYLE_FIELDS) write(form, field, texts[field]);
  for (const field of COLOUR_FIELDS) write(form, `${field}Picked`, pickable(texts[field]));
}

function write(form: HTMLFormElement, name: string, value: string): void {
  const control = form.elements.namedItem(name);
  if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value !== '';
  else if (control && 'value' in control && control.value !== value) control.value = value;
}

function readTexts(form: HTMLFormElement): StyleTexts {
  const texts = STYLE_FIELDS.map((field) => [field, valueIn(form, field)]);
  return Object.fromEntries(texts) as StyleTexts;
}

function valueIn(form: HTMLFormElement, name: string): string {
  return textOf(form.elements.namedItem(name));
}
