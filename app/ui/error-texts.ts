import { useTranslation } from 'react-i18next';

/** Longer waits are given in minutes. */
const MAX_IN_SECONDS = 120;

interface FormState {
  allErrors: Record<string, string[]>;
  id: string;
}

/**
 * Turns message codes into texts in the page's language, for the fields and for the summary. After a switch
 * of language an earlier error may have no text; it is left out until the form is submitted again. A code may
 * contain the seconds to wait, as in `login_wait:30`. The summary is in the order of `names`, the fields as
 * they appear on the page; errors of the whole form come first.
 */
export function useErrorTexts(namespace: string, form: FormState, names: readonly string[] = []) {
  const { t, i18n } = useTranslation(namespace);
  const message = (codes: string[] | undefined) =>
    codes
      ?.map((full) => {
        const [code = '', seconds] = full.split(':');
        return t([`errors.${code}`, `common:errors.codes.${code}`, 'common:errors.codes.invalid'], {
          code,
          ...(seconds && { wait: waitingTime(Number(seconds), i18n.language) }),
          defaultValue: '',
        });
      })
      .filter(Boolean)
      .join(' ') || undefined;
  const found = Object.entries(form.allErrors).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  const summary = found.flatMap(([name, codes]) => {
    const text = message(codes);
    return text ? [{ field: name === '' ? undefined : `${form.id}-${name}`, text }] : [];
  });
  return { message, summary };
}

/** `45 seconds` or `12 minutes`, in the language with this BCP 47 tag; minutes are rounded up. */
export function waitingTime(seconds: number, tag: string): string {
  const [value, unit] = seconds <= MAX_IN_SECONDS ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
