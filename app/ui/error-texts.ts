import { useTranslation } from 'react-i18next';

interface FormState {
  allErrors: Record<string, string[]>;
  id: string;
}

/** Turns message codes into sentences of the page's language, beside the fields and for the summary on top. */
export function useErrorTexts(namespace: string, form: FormState) {
  const { t } = useTranslation(namespace);
  const message = (codes: string[] | undefined) =>
    codes?.length
      ? codes
          .map((code) =>
            t([`errors.${code}`, `common:errors.codes.${code}`, 'common:errors.codes.invalid'], { code }),
          )
          .join(' ')
      : undefined;
  const summary = Object.entries(form.allErrors).map(([name, codes]) => ({
    field: name === '' ? undefined : `${form.id}-${name}`,
    text: message(codes) ?? '',
  }));
  return { message, summary };
}
