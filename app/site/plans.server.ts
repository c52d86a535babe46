import { getSite as getSiteCall, listPlans as listPlansCall, type Plan } from '#contract/plans';
import { env } from '~/http/env.server';
import { callHost } from '~/http/host.server';
import { staleIfError } from '~/http/stale-if-error.server';

/** The plans that are sold, monthly first. */
export const listPlans = staleIfError(
  async (requestContext): Promise<Plan[]> => (await callHost(requestContext, listPlansCall, {})).data,
);

/** Name, contact, seller and terms of the service, with its address. */
export const getSite = staleIfError(async (requestContext) => {
  const { data } = await callHost(requestContext, getSiteCall, {});
  return { ...data, publicUrl: env.PUBLIC_URL };
});
export type Site = Awaited<ReturnType<typeof getSite>>;
