import { useArrivedErrors } from '~/i18n/use-arrived-messages';
import { type Related, useStandingErrors } from './corrected-fields';
import type { FieldMeta } from './field';
import type { LastResult } from './schema-form';

interface Options<Name extends string> {
  id: string;
  lastResult: LastResult;
  defaultValue: Partial<Record<Name, string>>;
  related?: Related;
}

/**
 * What `useSchemaForm` answers, without the form library's script: the home page carries a form and has to stay light.
 * The server reads it through the same library all the same.
 */
export function useAnsweredForm<Name extends string>({
  id,
  lastResult,
  defaultValue,
  related,
}: Options<Name>) {
  useArrivedErrors(lastResult?.texts);
  const found = Object.entries(lastResult?.error ?? {});
  const errors = Object.fromEntries(found.flatMap(([name, codes]) => (codes ? [[name, codes]] : [])));
  const allErrors = useStandingErrors(id, lastResult, errors, related);
  const typed = lastResult?.initialValue;
  const fields = new Proxy({} as Record<Name, FieldMeta>, {
    get: (_, name: Name): FieldMeta => {
      const value = typed ? typed[name] : defaultValue[name];
      const initialValue = typeof value === 'string' ? value : undefined;
      return { id: `${id}-${name}`, name, initialValue, errors: allErrors[name] };
    },
  });
  return [{ id, allErrors, props: { id, noValidate: true } }, fields] as const;
}
