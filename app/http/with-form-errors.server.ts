import { errorsOf, type FormErrors, type FormResult, invalid } from './form.server';
import { HostError } from './host-error.server';

/**
 * Runs the action of a valid form. If the host refuses it, responds with the form and the host's status: 422,
 * or 429 after too many attempts. Errors appear at `fields`, those of the form, or as a function maps them.
 */
export async function withFormErrors<T>(
  reject: (errors: FormErrors) => FormResult,
  fields: string[] | ((refusal: HostError) => FormErrors),
  act: () => Promise<T>,
) {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    const errors = typeof fields === 'function' ? fields(thrown) : errorsOf(thrown, fields);
    return invalid(reject(errors), thrown.status);
  }
}
