import { readScope } from '~/http/scope.server';
import '~/styles/contact.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { type ContactData, contactData, handleContact } from './contact.server';
import { ContactForm, ContactSent } from './contact-form';

export const handle: PageHandle & FormHandle = {
  page: (data) => ({ key: (data as ContactData).isSent ? 'contact:sent' : 'contact:', values: {} }),
  isPublic: true,
  form: (data) => ((data as ContactData).isSent ? null : 'contact'),
};

export async function loader(args: LoaderFunctionArgs) {
  return contactData(await readScope(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleContact(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ContactPage() {
  const data = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  return data.isSent ? <ContactSent /> : <ContactForm data={data} lastResult={actionData?.lastResult} />;
}
