import { getSite as getSiteCall, listPlans as listPlansCall, type Plan } from '#contract/plans';
import { env } from '~/http/env.server';
import { callHost } from '~/http/host.server';
import { keepAnswer } from '~/http/kept-answer.server';

/** The plans that are sold, monthly first. */
export const listPlans = keepAnswer(
  async (asker): Promise<Plan[]> => (await callHost(asker, listPlansCall, {})).data,
);

/** Name, contact, seller and terms of the service, with its address. */
export const getSite = keepAnswer(async (asker) => {
  const { data } = await callHost(asker, getSiteCall, {});
  return { ...data, publicUrl: env.PUBLIC_URL };
});
export type Site = Awaited<ReturnType<typeof getSite>>;
