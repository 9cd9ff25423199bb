/** The YAML language server as editors run it, driven over its protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node.js';

/** Line and character, both from 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A diagnostic of the server. `line` is from 1. */
export interface EditorDiagnostic {
  readonly line: number;
  readonly message: string;
}

/** A completion of the server, and the text that it inserts. */
export interface EditorOffer {
  readonly label: string;
  readonly text: string;
}

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly { readonly range: { readonly start: Position }; readonly message: string }[];
}

/** A server, which finds schemas by file names, as in editor settings, and by modelines of documents. */
export class LanguageServer {
  readonly #process: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #waiting = new Map<string, (published: Published) => void>();

  private constructor(process: ChildProcess, connection: MessageConnection) {
    this.#process = process;
    this.#connection = connection;
    connection.onNotification('textDocument/publishDiagnostics', (published: Published) => {
      this.#waiting.get(published.uri)?.(published);
    });
  }

  /** Starts the server with the setting `yaml.schemas`: paths of schemas, relative to the folder, and the files that they are for. */
  static async start(
    folder: string,
    schemas: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<LanguageServer> {
    const server = createRequire(import.meta.url).resolve('yaml-language-server/bin/yaml-language-server');
    const child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    const yaml = {
      schemaStore: { enable: false },
      schemas,
      validate: true,
      hover: true,
      completion: true,
    };
    connection.onRequest('workspace/configuration', ({ items }: { items: { section: string }[] }) =>
      items.map(({ section }) => (section === 'yaml' ? yaml : {})),
    );
    connection.onRequest('client/registerCapability', () => null);
    connection.listen();
    const markdown = ['markdown'];
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: uriOf(folder),
      workspaceFolders: [{ uri: uriOf(folder), name: path.basename(folder) }],
      capabilities: {
        textDocument: {
          completion: { completionItem: { documentationFormat: markdown } },
          hover: { contentFormat: markdown },
        },
        workspace: { configuration: true },
      },
    });
    await connection.sendNotification('initialized', {});
    await connection.sendNotification('workspace/didChangeConfiguration', { settings: { yaml } });
    return new LanguageServer(child, connection);
  }

  /** Opens a document, and returns its diagnostics. */
  async open(file: string, text: string): Promise<readonly EditorDiagnostic[]> {
    const published = new Promise<Published>((resolve) => this.#waiting.set(uriOf(file), resolve));
    await this.show(file, text);
    const { diagnostics } = await published;
    return diagnostics
      .map(({ range, message }) => ({ line: range.start.line + 1, message }))
      .sort((one, other) => one.line - other.line);
  }

  /** Opens a document. */
  async show(file: string, text: string): Promise<void> {
    const textDocument = { uri: uriOf(file), languageId: 'yaml', version: 1, text };
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument });
  }

  /** The labels of completions at a position of an open document. */
  async complete(file: string, position: Position): Promise<readonly string[]> {
    return (await this.items(file, position)).map(({ label }) => label);
  }

  /** The completions with their snippets, whose lines are indented like the current line. */
  async items(file: string, position: Position): Promise<readonly EditorOffer[]> {
    const answer = await this.#connection.sendRequest<{
      items: { label: string; insertText?: string; textEdit?: { newText: string } }[];
    }>('textDocument/completion', { textDocument: { uri: uriOf(file) }, position });
    return answer.items.map(({ label, insertText = label, textEdit }) => ({
      label,
      text: textEdit?.newText ?? insertText,
    }));
  }

  /** The hover text for a position of an open document, as Markdown. */
  async hover(file: string, position: Position): Promise<string> {
    const answer = await this.#connection.sendRequest<{ contents: { value: string } } | null>(
      'textDocument/hover',
      { textDocument: { uri: uriOf(file) }, position },
    );
    return answer?.contents.value ?? '';
  }

  /** Stops the server. */
  stop(): void {
    this.#connection.dispose();
    this.#process.kill();
  }
}

function uriOf(file: string): string {
  return new URL(`file://${file}`).href;
}
