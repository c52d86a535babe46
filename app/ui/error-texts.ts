import { useTranslation } from 'react-i18next';

interface FormState {
  allErrors: Record<string, string[]>;
  id: string;
}

/**
 * Turns message codes into sentences of the page's language, beside the fields and for the summary on top. A refusal
 * from before the language was switched has no sentence here any more, and is left out until the form is sent again.
 */
export function useErrorTexts(namespace: string, form: FormState) {
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
  const summary = Object.entries(form.allErrors).flatMap(([name, codes]) => {
    const text = message(codes);
    return text ? [{ field: name === '' ? undefined : `${form.id}-${name}`, text }] : [];
  });
  return { message, summary };
}
