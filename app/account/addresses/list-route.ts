import { redirect } from '@remix-run/node';

/** The addresses are listed among the settings. */
export async function loader() {
  return redirect('/user/settings#addresses', 303);
}
