import type { SubmissionResult } from '@conform-to/react';
import { useArrivedErrors } from '~/i18n/use-arrived-messages';
import { type Related, useRemainingErrors } from './corrected-fields';
import type { FieldMeta } from './field';

/** What an action returns for a form: conform's result, with the texts of its message codes. */
export type LastResult =
  | (SubmissionResult<string[]> & { texts?: Record<string, string> | undefined })
  | null
  | undefined;

interface Options<Name extends string> {
  id: string;
  /** What the action returned last. */
  lastResult: LastResult;
  defaultValue?: { [N in Name]?: string | null | undefined };
  /** Rules that the controls show; the server enforces them. */
  constraint?: { [N in Name]?: { required?: boolean } };
  related?: Related;
}

/**
 * A form that only the server validates: it has `novalidate`, so that all errors have the same wording, in
 * the user's language. Returns the form and its fields by name.
 */
export function useServerValidatedForm<Name extends string>({
  id,
  lastResult,
  defaultValue = {},
  constraint = {},
  related,
}: Options<Name>) {
  useArrivedErrors(lastResult?.texts);
  const found = Object.entries(lastResult?.error ?? {});
  const errors = Object.fromEntries(found.flatMap(([name, codes]) => (codes ? [[name, codes]] : [])));
  const allErrors = useRemainingErrors(id, lastResult, errors, related);
  const typed = lastResult?.initialValue;
  const fields = new Proxy({} as Record<Name, FieldMeta>, {
    get: (_, name: Name): FieldMeta => {
      const value = typed ? typed[name] : defaultValue[name];
      const initialValue = typeof value === 'string' ? value : undefined;
      const required = constraint[name]?.required;
      return { id: `${id}-${name}`, name, initialValue, errors: allErrors[name], required };
    },
  });
  const props = { id, noValidate: true, saved: defaultValue, submitted: typed ?? undefined };
  return [{ id, allErrors, props }, fields] as const;
}
