/** Lists of the embedded service cost in proportion to their length, even if all items refer to one object. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../../src/server/index.ts';

/** Number of rows read for the list of a site whose sections all publish one space. */
async function rowsRead(sections: number, published: boolean): Promise<number> {
  const service = await startService({
    data: ':memory:',
    seed: {
      organizations: [
        {
          id: 'org_acme',
          title: 'Acme',
          spaces: [{ id: 'sp_one', title: 'One' }],
          sites: [
            {
              id: 'site_hub',
              title: 'Hub',
              published,
              visibility: 'share-link',
              sections: Array.from({ length: sections }, (_, at) => ({
                title: `Section ${at}`,
                path: `section-${at}`,
                spaces: [{ space: 'sp_one', path: 'main' }],
              })),
            },
          ],
        },
      ],
    },
  });
  onTestFinished(() => service.close());
  const parse = vi.spyOn(JSON, 'parse');
  const answer = await fetch(`${service.url}/v1/orgs/org_acme/sites/site_hub/sections?limit=1000`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  const text = await answer.text();
  const read = parse.mock.calls.length;
  parse.mockRestore();
  expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(sections);
  return read;
}

test.each([true, false])(
  'reads rows in proportion to the sections that all publish one space (site published: %s)',
  async (published) => {
    const [few, many] = [await rowsRead(50, published), await rowsRead(200, published)];
    expect(few).toBeGreaterThan(50);
    expect(many).toBeLessThan(few * 5);
  },
);
