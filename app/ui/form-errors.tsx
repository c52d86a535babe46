import { useActionData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { splitCode } from '~/i18n/text-keys';
import { useElementId } from './element-id';
import type { FieldMeta } from './field';
import { Icon } from './icon';
import { useActionDataScope } from './page-action-data';

export interface FormError {
  /** Id of the control that the error is about; absent if it is about the whole form. */
  field?: string | undefined;
  text: string;
}

// Focused on page load, also without scripts:
// https://html.spec.whatwg.org/multipage/interaction.html#the-autofocus-attribute
const focusTarget = { autoFocus: true, tabIndex: -1 };

/** The errors of a form, above it, with links to the fields. Takes focus when it appears. */
export function ErrorSummary({ errors }: { errors: FormError[] }) {
  const { t } = useTranslation();
  const box = useRef<HTMLElement>(null);
  const title = useElementId();
  useErrorTitle(errors.length > 0);
  // Each response is a new object, even with the same errors.
  const arrived = useActionData();
  const actionData = useActionDataScope().actionData ?? arrived;
  const all = errors.map((error) => error.text).join('\n');
  // Errors that arrived with the page were focused by the browser, and the user may be typing by now.
  const focused = useRef(useHydrated() ? { actionData: undefined as unknown, all: '' } : { actionData, all });

  useEffect(() => {
    const last = focused.current;
    const known = last.all.split('\n');
    // Following a link to a field is a navigation, which clears the response without a new one, and
    // correcting a field removes its error: neither is a new error.
    const isNew =
      all.split('\n').some((text) => !known.includes(text)) || (actionData && last.actionData !== actionData);
    focused.current = { actionData, all };
    if (isNew && all) box.current?.focus();
  }, [actionData, all]);

  if (errors.length === 0) return null;
  return (
    <section ref={box} className="error-summary" aria-labelledby={title} {...focusTarget}>
      <h2 id={title}>
        <Icon name="error" />
        {t('form.problem')}
      </h2>
      <ul>
        {errors.map((error) => (
          <li key={`${error.field ?? ''} ${error.text}`}>
            {error.field ? <a href={`#${error.field}`}>{error.text}</a> : error.text}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Prefixes the document title, as the server does in a full page load. */
function useErrorTitle(hasErrors: boolean): void {
  const { t } = useTranslation();
  const prefix = `${t('form.errorPrefix')} `;
  useEffect(() => {
    if (!hasErrors) return;
    const plain = () => document.title.replace(prefix, '');
    document.title = prefix + plain();
    // A page may have several summaries: each removes only the prefix that it added.
    return () => {
      document.title = plain();
    };
  }, [hasErrors, prefix]);
}

/** Longer waits are given in minutes. */
const MAX_IN_SECONDS = 120;

interface FormState<Name extends string> {
  allErrors: Record<string, string[]>;
  id: string;
  fields: Record<Name, FieldMeta>;
}

/**
 * Turns message codes into texts in the page's language, for the fields and for the summary. After a switch
 * of language an earlier error may have no text; it is left out until the form is submitted again. A code may
 * contain a value: the seconds of `login_wait:30`, or what was probably meant. The summary is in the order of
 * `names`, the fields as they appear on the page; errors of the whole form come first. In it the label of a field
 * comes before a text that other fields have as well. `control` is what a control gets of its field.
 */
export function useErrorTexts<Name extends string>(
  namespaces: string | [string, ...string[]],
  form: FormState<Name>,
  names: readonly string[] = [],
) {
  const [own, ...others] = [namespaces].flat();
  const { t, i18n } = useTranslation(own);
  const message = (codes: string[] | undefined) =>
    codes
      ?.map((full) => {
        const [code, value] = splitCode(full);
        const elsewhere = others.map((namespace) => `${namespace}:errors.${code}`);
        return t(
          [`errors.${code}`, ...elsewhere, `common:errors.codes.${code}`, 'common:errors.codes.invalid'],
          {
            code,
            ...(value &&
              (/^\d+$/.test(value) ? { wait: waitingTime(Number(value), i18n.language) } : { meant: value })),
            defaultValue: '',
          },
        );
      })
      .filter(Boolean)
      .join(' ') || undefined;
  const found = Object.entries(form.allErrors).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  const texts = found.map(([, codes]) => message(codes));
  const summary = found.flatMap(([name], place) => {
    const text = texts[place];
    if (!text) return [];
    const isShared = texts.filter((other) => other === text).length > 1;
    const label = isShared && t(`form.${name}`, { defaultValue: '' });
    return [
      { field: name === '' ? undefined : `${form.id}-${name}`, text: label ? `${label} – ${text}` : text },
    ];
  });
  const control = (name: Name): { field: FieldMeta; error: string | undefined } => {
    const field = form.fields[name];
    return { field, error: message(field.errors) };
  };
  return { control, message, summary };
}

/** `45 seconds` or `12 minutes`, in the language with this BCP 47 tag; minutes are rounded up. */
export function waitingTime(seconds: number, tag: string): string {
  const [value, unit] = seconds <= MAX_IN_SECONDS ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
