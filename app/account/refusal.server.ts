import { errorsOf, type FormResult, invalid } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';

/**
 * Does what a checked form asks for. A refusal of the host shows the form again, with its errors by field and its
 * status: 422, or 429 after too many tries.
 */
export async function orRefuse<T>(
  reject: (errors: ReturnType<typeof errorsOf>) => FormResult,
  fields: string[],
  act: () => Promise<T>,
) {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return invalid(reject(errorsOf(thrown, fields)), thrown.status);
  }
}
