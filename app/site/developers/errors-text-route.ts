import type { LoaderFunctionArgs } from '@remix-run/node';
import { readScope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { listErrors } from '~/site/errors.server';
import { markdownResponse } from './markdown.server';

export async function loader(args: LoaderFunctionArgs) {
  const { t } = i18nOf((await readScope(args)).locale);
  const rows = listErrors().map(({ code, status, title, detail }) => [
    code,
    String(status),
    detail === title ? title : `${title} ${detail}`,
  ]);
  const columns = [
    t('developers:errors.code'),
    t('developers:errors.status'),
    t('developers:errors.meaning'),
  ];
  const caption = t('developers:errors.table');
  return markdownResponse({
    title: t('developers:errors.title'),
    lead: t('developers:errors.lead'),
    sections: [{ id: 'errors', title: caption, blocks: [{ caption, columns, rows }] }],
  });
}
