import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { CodeForm } from '~/codes/code-form';
import { creationData, handleCreation } from '~/codes/creation.server';
import { Advantages } from '~/site/advantages';
import { Closing } from '~/site/closing';
import { FaqShortcuts } from '~/site/faq-shortcuts';
import { Hero } from '~/site/hero';
import { PricingTeaser } from '~/site/pricing-teaser';
import { Steps } from '~/site/steps';

export const handle = { page: 'home:' };

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { creation: await creationData({ request, context }) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return handleCreation({ request, context });
}

export default function HomePage() {
  const { creation } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  return (
    <>
      <Hero>
        <CodeForm data={creation} answer={answer} action="/?index" />
      </Hero>
      <Steps />
      <Advantages />
      <PricingTeaser />
      <FaqShortcuts />
      <Closing />
    </>
  );
}
