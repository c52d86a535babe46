import '~/styles/code-pages.css';
import '~/styles/code-figures.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { isRedirected } from '#contract/contents/contents';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { CodeDownloads } from '~/codes/files/downloads';
import { previewCode } from '~/codes/files/downloads.server';
import { Tags } from '~/codes/list/tags';
import { CodeFixes } from '~/codes/look/fixes';
import { historyOf } from '~/codes/look/style-picture.server';
import { withRouting } from '~/codes/rules/routing-history.server';
import { timingOf } from '~/codes/rules/timing.server';
import { requireUser } from '~/http/guards.server';
import { newFormKey } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { CodeFigures, LastVisits, LockedFigures, UncountedFigures } from '~/statistics/code-statistics';
import { findCodeStatistics } from '~/statistics/code-statistics.server';
import { Breakable } from '~/ui/breakable';
import { Button, buttonClass } from '~/ui/button';
import { Form, FormKey } from '~/ui/form';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { campaignView } from './campaign.server';
import { getCode, nameOf } from './codes.server';
import { contentFieldsOf, handleCodeEdit } from './edit.server';
import { Fold } from './fold';
import { CheckedPicture } from './picture-check';
import { CodeSettings } from './settings';
import { CodeStates } from './states';
import { TargetForm } from './target-form';

export const handle: PageHandle & FormHandle = {
  page: (data) => ({ key: 'codes:one', values: { name: (data as CodeData | null)?.name ?? '' } }),
  form: (data) => {
    const { code } = (data as CodeData | null) ?? {};
    return code ? (code.dynamic ? 'edit' : 'labels') : null;
  },
};

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [shown, statistics] = await Promise.all([
    getCode(scope, params.id).then(async (loaded) => {
      const timeZone = await readZone(scope);
      return {
        code: loaded.code,
        checks: loaded.checks,
        content: contentFieldsOf(loaded.code),
        campaign: campaignView(loaded.code),
        timing: timingOf(loaded, timeZone),
        changes: withRouting(historyOf(loaded), { locale: scope.locale, timeZone }),
        picture: await previewCode(scope, loaded.code),
      };
    }),
    findCodeStatistics(scope, params.id ?? ''),
  ]);
  const { code } = shown;
  return {
    ...shown,
    statistics,
    name: nameOf(code),
    isRedirected: isRedirected(code.type),
    key: newFormKey(scope),
  };
}
type CodeData = Awaited<ReturnType<typeof loader>>;

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleCodeEdit(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CodePage() {
  const { code, checks, content, campaign, timing, isRedirected, changes, picture, statistics, name, key } =
    useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('codes');
  const isLocked = statistics?.isLocked === true;
  // The page has several forms: the posted `intent` tells which one the result belongs to.
  const form = (...intents: string[]) => ({
    isLocked,
    lastResult: intents.includes(String(actionData?.lastResult.initialValue?.intent))
      ? actionData?.lastResult
      : undefined,
  });
  const visits = statistics?.isLocked === false ? statistics.visits : [];
  const { drawn, directLeastMm } = picture;
  const downloads = <CodeDownloads {...{ code, drawn, directLeastMm }} />;
  return (
    <div className="code-page">
      <div className="code-page__head">
        <p>
          <Link to="/user/qrcodes">{t('one.back')}</Link>
        </p>
        <div className="code-page__title">
          <h1>
            <Breakable text={name} />
          </h1>
          {!isLocked && <a href="#name">{t('one.rename')}</a>}
        </div>
        <CodeStates code={code} timing={timing} isLocked={isLocked} />
        <Destination code={code} />
        {code.tags.length > 0 && <Tags tags={code.tags} />}
      </div>
      <div className="code-page__picture">
        <CheckedPicture {...picture} label={t('one.picture', { name })} />
        {code.style && <CodeFixes id={code.id} style={code.style} examination={picture.examination} />}
        {!isLocked && (
          <p>
            <Link to={`/user/qrcodes/${code.id}/look`} className={buttonClass('secondary')}>
              {t('look:changeLook')}
            </Link>
          </p>
        )}
        {code.dynamic && (
          <p className="code-page__printed">
            {t('one.printedLink')} <span className="mono">{code.scanLink}</span>
          </p>
        )}
      </div>
      <div className="code-page__work">
        {statistics?.isLocked === false && <CodeFigures id={code.id} statistics={statistics} />}
        {code.dynamic && !code.counted && (
          <UncountedFigures id={code.id} hasEarlier={code.visits.total > 0} />
        )}
        {isLocked && code.dynamic && code.counted && <LockedFigures />}
        {/* A form with many fields would push them down the page. */}
        {!isRedirected && downloads}
        {code.dynamic && (
          <TargetForm
            id={code.id}
            type={code.type}
            content={content}
            rules={isRedirected ? timing.rules : null}
            {...form('content')}
          />
        )}
        {isRedirected && downloads}
        <CodeSettings
          code={code}
          isRedirected={isRedirected}
          timing={timing}
          checks={checks}
          campaign={campaign}
          shown={actionData && 'finalAddress' in actionData ? actionData.finalAddress : null}
          lastVisits={
            visits.length > 0 && (
              <Fold id="visits" summary={t('statistics:lastVisits.heading')} value={visits[0]?.time}>
                <LastVisits visits={visits} />
              </Fold>
            )
          }
          changes={changes}
          form={form}
        />
        {!isLocked && (
          <Form className="code-page__copy">
            <FormKey value={key} />
            <Button variant="secondary" name="intent" value="duplicate">
              {t('list.duplicate')}
            </Button>
          </Form>
        )}
      </div>
    </div>
  );
}

/** Where a code leads, or why its destination cannot change. */
function Destination({ code }: { code: Pick<CodeData['code'], 'type' | 'content' | 'dynamic'> }) {
  const { t } = useTranslation('codes');
  const { Lead } = CONTENT_FORMS[code.type];
  if (!code.dynamic) return <p className="muted">{t('one.staticAbout')}</p>;
  return Lead && <Lead content={code.content} />;
}
