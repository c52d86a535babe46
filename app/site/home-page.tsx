import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { LOCALES, type Locale } from '#contract/locales';
import { creationData, handleCreation } from '~/codes/create/create.server';
import { CodeForm } from '~/codes/create/form';
import { readScope } from '~/http/scope.server';
import { messagesPath } from '~/i18n/messages.server';
import type { loader as rootLoader } from '~/root';
import { usePageActionData } from '~/ui/page-action-data';
import { Advantages, Closing, FaqShortcuts, Hero, Looks, PricingTeaser, Steps } from './home-sections';

export const handle = { page: 'home:', form: 'create', isPublic: true };

export const meta: MetaFunction<unknown, { root: typeof rootLoader }> = ({ matches }) => {
  const site = matches.find(({ id }) => id === 'root')?.data;
  return site ? [{ 'script:ld+json': siteFacts(site) }] : [];
};

export async function loader(args: LoaderFunctionArgs) {
  const scope = await readScope(args);
  const { locale } = scope;
  return { creation: await creationData(scope), lookTexts: messagesPath(locale, ['look']) };
}

export async function action(args: ActionFunctionArgs) {
  return handleCreation(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function HomePage() {
  const { creation, lookTexts } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  return (
    <>
      <Hero>
        <CodeForm data={creation} actionData={actionData} action="/?index" look={lookTexts} />
      </Hero>
      <Looks />
      <Steps />
      <Advantages />
      <PricingTeaser />
      <FaqShortcuts />
      <Closing />
    </>
  );
}

interface Site {
  appName: string;
  publicUrl: string;
  locale: Locale;
}

/** Who runs the site, what it is and what it offers, for search engines (schema.org as JSON-LD). */
function siteFacts({ appName, publicUrl, locale }: Site) {
  const organization = `${publicUrl}/#organization`;
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Organization',
        '@id': organization,
        name: appName,
        url: `${publicUrl}/`,
        logo: `${publicUrl}/icon-512.png`,
      },
      {
        '@type': 'WebSite',
        name: appName,
        url: `${publicUrl}/`,
        inLanguage: LOCALES[locale].html,
        publisher: { '@id': organization },
      },
      {
        '@type': 'SoftwareApplication',
        name: appName,
        url: `${publicUrl}/`,
        applicationCategory: 'BusinessApplication',
        operatingSystem: 'Web',
        publisher: { '@id': organization },
      },
    ],
  };
}
