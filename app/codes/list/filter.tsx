import { Form, Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { FORM_TYPES } from '~/codes/contents/content-forms';
import { Button } from '~/ui/button';
import { Field, SelectField } from '~/ui/field';

/** Codes per page of the list; the first is the default. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;

interface ListFilterValues {
  search: string;
  tag: string;
  type: string;
  visibility: string;
  show: string;
  order: string;
  size: string;
}

interface Props {
  values: ListFilterValues;
  tags: { tag: string; codes: number }[];
  /** Whether the filter leaves out any codes. */
  isNarrowed: boolean;
  /** Query string of the page: when it changes, the fields are reset to its values. */
  address: string;
}

const SHOWN = ['in_use', 'never_visited', 'archived', 'all'] as const;
const ORDERS = ['newest', 'name', 'visits', 'last_visit'] as const;
const VISIBILITIES = ['public', 'private'] as const;

/** Filter and order of the list: a GET form on the page itself, so that every view has its own URL. */
export function ListFilter({ values, tags, isNarrowed, address }: Props) {
  const { t } = useTranslation('codes');
  const field = (name: keyof ListFilterValues) => ({
    id: `list-${name}`,
    name,
    initialValue: values[name],
  });
  const isUnknownTag = values.tag !== '' && !tags.some(({ tag }) => tag === values.tag);
  const hasMore = values.type !== '' || values.visibility !== '' || values.size !== String(PAGE_SIZES[0]);
  return (
    <search>
      <Form key={address} method="get" className="list-filter sheet">
        <div className="list-filter__main">
          <Field
            type="search"
            field={field('search')}
            label={t('filter.search')}
            autoComplete="off"
            maxLength={255}
          />
          {(tags.length > 0 || isUnknownTag) && (
            <SelectField
              field={field('tag')}
              label={t('filter.tag')}
              options={[
                { value: '', label: t('filter.allTags') },
                ...tags.map(({ tag, codes }) => ({ value: tag, label: `${tag} (${codes})` })),
                ...(isUnknownTag ? [{ value: values.tag, label: values.tag }] : []),
              ]}
            />
          )}
          <SelectField
            field={field('show')}
            label={t('filter.show')}
            options={SHOWN.map((value) => ({ value, label: t(`filter.shown.${value}`) }))}
          />
          <SelectField
            field={field('order')}
            label={t('filter.order')}
            options={ORDERS.map((value) => ({ value, label: t(`filter.orders.${value}`) }))}
          />
          <Button variant="secondary">{t('filter.apply')}</Button>
        </div>
        <details className="list-filter__more" open={hasMore}>
          <summary>{t('filter.more')}</summary>
          <div className="list-filter__main">
            <SelectField
              field={field('type')}
              label={t('filter.type')}
              options={[
                { value: '', label: t('filter.allTypes') },
                ...FORM_TYPES.map((value) => ({ value, label: t(`design:types.${value}`) })),
              ]}
            />
            <SelectField
              field={field('visibility')}
              label={t('filter.visibility')}
              options={[
                { value: '', label: t('filter.any') },
                ...VISIBILITIES.map((value) => ({ value, label: t(`visibility.${value}`) })),
              ]}
            />
            <SelectField
              field={field('size')}
              label={t('filter.size')}
              options={PAGE_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
            />
          </div>
        </details>
        {isNarrowed && (
          <p>
            <Link to="/user/qrcodes">{t('filter.clear')}</Link>
          </p>
        )}
      </Form>
    </search>
  );
}
