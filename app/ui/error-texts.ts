import { useTranslation } from 'react-i18next';

/** Up to two minutes are counted in seconds. */
const COUNTED_SECONDS = 120;

interface FormState {
  allErrors: Record<string, string[]>;
  id: string;
}

/**
 * Turns message codes into sentences of the page's language, beside the fields and for the summary on top. A refusal
 * from before the language was switched has no sentence here any more, and is left out until the form is sent again.
 * A code may say how many seconds to wait, as in `login_wait:30`.
 * The summary follows `names`, the fields as they stand on the page; what is about the whole form comes first.
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

/** `45 seconds` or `12 minutes`, in the language with this BCP 47 tag; never less than what is meant. */
export function waitingTime(seconds: number, tag: string): string {
  const [value, unit] =
    seconds <= COUNTED_SECONDS ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
