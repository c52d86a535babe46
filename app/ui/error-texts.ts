import { useTranslation } from 'react-i18next';

interface FormState {
  allErrors: Record<string, string[]>;
  id: string;
}

/**
 * Turns message codes into sentences of the page's language, beside the fields and for the summary on top. A refusal
 * from before the language was switched has no sentence here any more, and is left out until the form is sent again.
 * The summary follows `names`, the fields as they stand on the page; what is about the whole form comes first.
 */
export function useErrorTexts(namespace: string, form: FormState, names: readonly string[] = []) {
  const { t } = useTranslation(namespace);
  const message = (codes: string[] | undefined) =>
    codes
      ?.map((code) =>
        t([`errors.${code}`, `common:errors.codes.${code}`, 'common:errors.codes.invalid'], {
          code,
          defaultValue: '',
        }),
      )
      .filter(Boolean)
      .join(' ') || undefined;
  const found = Object.entries(form.allErrors).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  const summary = found.flatMap(([name, codes]) => {
    const text = message(codes);
    return text ? [{ field: name === '' ? undefined : `${form.id}-${name}`, text }] : [];
  });
  return { message, summary };
}
