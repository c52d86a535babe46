import type { SubmissionResult } from '@conform-to/react';
import { useArrivedErrors } from '~/i18n/use-arrived-messages';
import { type Related, useStandingErrors } from './corrected-fields';
import type { FieldMeta } from './field';

/** The action's answer to a form: conform's result with the sentences of its message codes. */
export type LastResult =
  | (SubmissionResult<string[]> & { texts?: Record<string, string> | undefined })
  | null
  | undefined;

interface Options<Name extends string> {
  id: string;
  /** The action's last answer. */
  lastResult: LastResult;
  defaultValue?: { [N in Name]?: string | null | undefined };
  /** Of each field what its control shows of it; what is allowed is decided by the server. */
  constraint?: { [N in Name]?: { required?: boolean } };
  related?: Related;
}

/**
 * A form whose one judge is the server: nothing is checked in the browser and the form carries `novalidate`, so that
 * all errors speak with one voice in the user's language. Answers the form and, by name, its fields.
 */
export function useAnsweredForm<Name extends string>({
  id,
  lastResult,
  defaultValue = {},
  constraint = {},
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
      const required = constraint[name]?.required;
      return { id: `${id}-${name}`, name, initialValue, errors: allErrors[name], required };
    },
  });
  const props = { id, noValidate: true, saved: defaultValue, answered: typed ?? undefined };
  return [{ id, allErrors, props }, fields] as const;
}
