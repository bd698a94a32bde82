import { join } from 'node:path';
import { isCallExpression, type Node, type SourceFile } from 'typescript/unstable/ast';
import { API, type Checker, type Type } from 'typescript/unstable/sync';

// What the code declares about rows, asked from the compiler itself: types are gone at run time.

/** How a column is declared: `string`, `number` or `boolean`, and whether it may be null. */
export interface Column {
  type: string;
  nullable: boolean;
}

/** The columns of `Row` in every `read<Row>(…)` and `write<Row>(…)` under src, by the place of the call: file:line:column. */
export function declaredRows(root: string): Map<string, Map<string, Column>> {
  const api = new API({ cwd: root });
  try {
    const config = join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`no project ${config}`);
    const rows = new Map<string, Map<string, Column>>();
    for (const name of project.program.getSourceFileNames()) {
      if (!name.startsWith(join(root, 'src'))) continue;
      const file = project.program.getSourceFile(name)!;
      for (const { place, type } of calls(file))
        rows.set(`${name}:${place}`, columnsOf(project.checker, type));
    }
    return rows;
  } finally {
    api.close();
  }
}

/** The calls of `read` and `write` that name a row, each with its line and column. */
function calls(file: SourceFile): { place: string; type: Node }[] {
  const found: { place: string; type: Node }[] = [];
  const visit = (node: Node): void => {
    if (isCallExpression(node)) {
      const [type] = node.typeArguments ?? [];
      const name = file.text.slice(node.expression.pos, node.expression.end).trim();
      if (type !== undefined && (name === 'read' || name === 'write')) {
        const before = file.text.slice(0, node.expression.end - name.length).split('\n');
        found.push({ place: `${before.length}:${before.at(-1)!.length + 1}`, type });
      }
    }
    node.forEachChild((child) => {
      visit(child);
    });
  };
  visit(file);
  return found;
}

function columnsOf(checker: Checker, node: Node): Map<string, Column> {
  const row = checker.getTypeAtLocation(node)!;
  return new Map(
    checker.getPropertiesOfType(row).map((property) => {
      const type = checker.getTypeOfSymbolAtLocation(property, node);
      return [property.name, columnOf(checker, type)];
    }),
  );
}

function columnOf(checker: Checker, type: Type): Column {
  const value = checker.getNonNullableType(type) ?? type;
  const base = checker.getBaseTypeOfLiteralType(value) ?? value;
  const nullable = checker.isTypeAssignableTo(checker.getNullType(), type);
  return { type: checker.typeToString(base), nullable };
}
