import type { SubmissionResult } from '@conform-to/react';
import { useEffect, useState } from 'react';
import { useArrivedErrors } from '~/i18n/page-messages';
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
  const entered = lastResult?.initialValue;
  const fields = new Proxy({} as Record<Name, FieldMeta>, {
    get: (_, name: Name): FieldMeta => {
      const value = entered ? entered[name] : defaultValue[name];
      const initialValue = typeof value === 'string' ? value : undefined;
      const required = constraint[name]?.required;
      return { id: `${id}-${name}`, name, initialValue, errors: allErrors[name], required };
    },
  });
  const props = {
    id,
    noValidate: true,
    saved: defaultValue,
    submitted: entered ?? undefined,
    errors: allErrors,
  };
  return [{ id, allErrors, fields, props }, fields] as const;
}

type Errors = Record<string, string[]>;

/** By the name of a control: other fields whose errors disappear as well when it changes. */
type Related = Partial<Record<string, readonly string[]>>;

/**
 * The errors of the last response that still apply: an error disappears with the first change to its field,
 * as the new value has not been validated. Errors of the whole form stay until the next response.
 */
function useRemainingErrors(id: string, lastResult: unknown, errors: Errors, related: Related = {}): Errors {
  const [changed, setChanged] = useState({ lastResult, names: [] as string[] });
  const names = changed.lastResult === lastResult ? changed.names : [];
  const remaining = Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name)));

  useEffect(() => {
    function onInput({ target }: Event) {
      const { form, name = '' } = target as Partial<HTMLInputElement>;
      if (form?.id !== id) return;
      const corrected = [name, ...(related[name] ?? [])].filter(
        (field) => field !== '' && field in remaining,
      );
      if (corrected.length > 0) setChanged({ lastResult, names: [...names, ...corrected] });
    }
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  });
  return remaining;
}
