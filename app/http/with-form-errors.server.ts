import { errorsOf, type FormErrors, type FormResult, invalid } from './form.server';
import { HostError } from './host-error.server';

/**
 * Does what a checked form asks for. A refusal of the host shows the form again with its status: 422, or 429 after too
 * many tries. Its errors stand at `fields`, the form's own, or are what a function makes of the refusal.
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
