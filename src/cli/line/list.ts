/** A command is loaded when it is used. */
import type { Command } from './command.ts';
import type { CommandName } from './names.ts';

const modules: Readonly<Record<CommandName, () => Promise<{ readonly command: Command }>>> = {
  init: () => import('../commands/init.ts'),
  export: () => import('../commands/export.ts'),
  doctor: () => import('../commands/doctor.ts'),
  plan: () => import('../commands/plan.ts'),
  apply: () => import('../commands/apply.ts'),
  drift: () => import('../commands/drift.ts'),
  show: () => import('../commands/show.ts'),
  validate: () => import('../commands/validate.ts'),
  test: () => import('../commands/test.ts'),
  fmt: () => import('../commands/fmt.ts'),
  render: () => import('../commands/render.ts'),
  explain: () => import('../commands/explain.ts'),
  access: () => import('../commands/access.ts'),
  list: () => import('../commands/list.ts'),
  mv: () => import('../commands/mv.ts'),
  schema: () => import('../commands/schema.ts'),
  completion: () => import('../commands/completion.ts'),
  history: () => import('../commands/history.ts'),
  undo: () => import('../commands/undo.ts'),
  unlock: () => import('../commands/unlock.ts'),
  ci: () => import('../commands/ci.ts'),
  serve: () => import('../commands/serve.ts'),
  api: () => import('../commands/api.ts'),
};

export async function loadCommand(name: CommandName): Promise<Command> {
  return (await modules[name]()).command;
}
