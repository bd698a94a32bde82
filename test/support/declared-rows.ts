import { join } from 'node:path';
import { isCallExpression, type Node, type SourceFile } from 'typescript/unstable/ast';
import { API, type Checker, type Type } from 'typescript/unstable/sync';

// What the code declares about rows, asked from the compiler itself: types are gone at run time.

/** How a column is declared: `string`, `number` or `boolean`, and whether it may be null. */
export interface Column {
  type: string;
  nullable: boolean;
}

/**
 * The columns of `Row` in every call like `read<Row>(…)`, whatever the function is called, by the place of the call:
 * file:line:column. None where a call names no row. A place without a call throws.
 */
export function declaredRows(
  root: string,
  places: ReadonlySet<string>,
): Map<string, Map<string, Column> | undefined> {
  const api = new API({ cwd: root });
  try {
    const config = join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`no project ${config}`);
    const rows = new Map<string, Map<string, Column> | undefined>();
    for (const name of new Set([...places].map((place) => place.replace(/:\d+:\d+$/, '')))) {
      for (const { place, type } of calls(project.program.getSourceFile(name)!))
        if (places.has(`${name}:${place}`))
          rows.set(`${name}:${place}`, type && columnsOf(project.checker, type));
    }
    for (const place of places) if (!rows.has(place)) throw new Error(`no call at ${place}`);
    return rows;
  } finally {
    api.close();
  }
}

/** Every call of a function by its name, with its line and column, and the row that it names. */
function calls(file: SourceFile): { place: string; type: Node | undefined }[] {
  const found: { place: string; type: Node | undefined }[] = [];
  const visit = (node: Node): void => {
    if (isCallExpression(node)) {
      const name = file.text.slice(node.expression.pos, node.expression.end).trim();
      const before = file.text.slice(0, node.expression.end - name.length).split('\n');
      const place = `${before.length}:${before.at(-1)!.length + 1}`;
      found.push({ place, type: node.typeArguments?.[0] });
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
