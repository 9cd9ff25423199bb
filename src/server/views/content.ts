import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { rankOf } from '../access.ts';
import type { Context, Publication } from '../context.ts';
import type { CollectionRow, SectionRow, SiteRow, SiteSpaceRow, SpaceRow } from '../store/rows.ts';

const maxLength = 50;

const emoji = (() => {
  const picture = String.raw`(?![0-9#*])\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?`;
  const one = String.raw`\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3|${picture}(?:\u200D${picture})*`;
  return new RegExp(`^(?:${one})+$`, 'u');
})();

/** The code in responses, without variation selectors; undefined if the text is not an emoji, or too long. */
export function emojiCode(text: string): string | undefined {
  const characters = /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/i.test(text) ? decoded(text) : text;
  if (characters === undefined || !emoji.test(characters)) return undefined;
  const points = [...characters].map((one) => (one.codePointAt(0) ?? 0).toString(16));
  const code = points.filter((point) => point !== 'fe0f').join('-');
  return code.length > maxLength ? undefined : code;
}

function decoded(code: string): string | undefined {
  const points = code.split('-').map((one) => Number.parseInt(one, 16));
  return points.some((point) => point > 0x10ffff) ? undefined : String.fromCodePoint(...points);
}

/** Fields that only services of the newer form return. */
export function newer<T extends object>({ form }: Context, fields: T): Partial<T> {
  return form === '2026' ? fields : {};
}

export function collectionView(context: Context, row: CollectionRow): OperationOutput<'collections.get'> {
  const rank = context.rankOn(row);
  return {
    object: 'collection',
    ...picked(row, 'id', 'title', 'description'),
    organization: row.org,
    parent: row.parent ?? undefined,
    defaultLevel: row.defaultLevel,
    urls: {
      location: `${context.base}/v1/collections/${row.id}`,
      app: `${context.base}/app/${row.org}/c/${row.id}`,
    },
    permissions: {
      view: rank >= rankOf('read'),
      admin: rank >= rankOf('admin'),
      viewInviteLinks: rank >= rankOf('admin'),
      // A new object also requires the role in the organization.
      create: Math.min(rank, context.rankIn(row.org)) >= rankOf('create'),
    },
  };
}

export function spaceView(context: Context, row: SpaceRow): OperationOutput<'spaces.get'> {
  const rank = context.rankOn(row);
  const live = row.deletedAt === undefined;
  const publication = context.publication(row.id, () => findPublication(context, row));
  return {
    object: 'space',
    ...picked(row, 'id', 'title'),
    emoji: emojiCode(row.emoji) ?? row.emoji,
    visibility: publication.visibility ?? (row.parent === null ? 'private' : 'in-collection'),
    ...picked(row, 'createdAt', 'updatedAt', 'deletedAt', 'editMode'),
    ...newer(context, {
      ...defined({ language: row.language }),
      mergeRules: row.mergeRules ?? { type: 'inherit' },
    }),
    ...(row.gitSync === undefined ? {} : { gitSync: { installationStatus: 'active', ...row.gitSync } }),
    organization: row.org,
    parent: row.parent ?? undefined,
    revision: row.revision,
    defaultLevel: row.defaultLevel,
    ...countsOf(context, row),
    urls: {
      location: `${context.base}/v1/spaces/${row.id}`,
      app: `${context.base}/app/${row.org}/s/${row.id}`,
      ...publication.urls,
    },
    permissions: {
      view: rank >= rankOf('read'),
      access: rank >= rankOf('read') && live,
      admin: rank >= rankOf('admin'),
      viewInviteLinks: rank >= rankOf('admin'),
      edit: rank >= rankOf('edit') && row.editMode === 'live' && live,
      triggerGitSync: rank >= rankOf('admin') && live,
      comment: rank >= rankOf('comment') && live,
      merge: rank >= rankOf('review') && row.editMode === 'live' && live,
      review: rank >= rankOf('review') && live,
    },
  };
}

function countsOf(context: Context, row: SpaceRow) {
  if (row.changeRequests === 0) {
    return { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
  }
  const { store } = context;
  return {
    comments: store.owned('comment', row.id).filter((comment) => comment.resolvedAt === undefined).length,
    changeRequests: row.changeRequests,
    changeRequestsOpen: store.countTagged('changeRequest', row.id, 'open'),
    changeRequestsDraft: store.countTagged('changeRequest', row.id, 'draft'),
  };
}

export function siteUrl(site: SiteRow): string {
  return `https://${site.org.replaceAll('_', '-')}.docs.example/${encodeURIComponent(site.basename ?? site.id)}/`;
}

export function publishedUrl(context: Context, site: SiteRow, path: readonly string[]): string | undefined {
  if (!site.published) return undefined;
  const rest = path.map(encodeURIComponent).join('/');
  if (site.visibility !== 'share-link') return siteUrl(site) + rest;
  const link = context.shareLink;
  return link?.site === site.id ? `${siteUrl(site)}${link.token}/${rest}` : undefined;
}

export function siteSpaceUrl(context: Context, site: SiteRow, row: SiteSpaceRow): string | undefined {
  const section: SectionRow | undefined =
    row.section === null ? undefined : context.store.get('section', row.section);
  return publishedUrl(context, site, section === undefined ? [row.path] : [section.path, row.path]);
}

function findPublication(context: Context, row: SpaceRow): Publication {
  let visibility: string | undefined;
  for (const siteSpace of context.store.tagged('siteSpace', row.id)) {
    const site = context.store.get('site', siteSpace.site);
    if (site?.published !== true) continue;
    visibility ??= site.visibility;
    const published = row.deletedAt === undefined ? siteSpaceUrl(context, site, siteSpace) : undefined;
    if (published === undefined) continue;
    const open = site.visibility === 'public' || site.visibility === 'unlisted';
    return { visibility, urls: open ? { published, public: published } : { published } };
  }
  return { visibility, urls: {} };
}
