/** The TypeScript types of the JSON that schemas describe. The compiler checks presenters against them. */
import type { Static, TArray, TIntersect, TObject, TOptional, TRef, TSchema, TUnion } from 'typebox';
import type { Json } from '../compose-json.ts';
import type { SCHEMA_COMPONENTS } from './components.ts';

type Components = typeof SCHEMA_COMPONENTS;

/** The values of a component, and their JSON text. */
export type ComponentValue<Name extends keyof Components> = ValueOf<Components[Name]>;
export type ComponentJson<Name extends keyof Components> = Json<ComponentValue<Name>>;

/** The type of the values that a schema describes, with references resolved. */
export type ValueOf<Schema> =
  Schema extends TRef<`${infer Name extends keyof Components}#`>
    ? ValueOf<Components[Name]>
    : Schema extends TIntersect<[infer Described extends TSchema]>
      ? ValueOf<Described>
      : Schema extends TArray<infer Element>
        ? ValueOf<Element>[]
        : Schema extends TUnion<infer Members>
          ? ValueOf<Members[number]>
          : Schema extends TObject<infer Properties>
            ? ObjectOf<Properties>
            : Schema extends TSchema
              ? Static<Schema>
              : never;

type OptionalOf<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TOptional<TSchema> ? Name : never;
}[keyof Properties];

type ObjectOf<Properties> = Flat<
  { [Name in Exclude<keyof Properties, OptionalOf<Properties>>]: ValueOf<Properties[Name]> } & {
    [Name in OptionalOf<Properties>]?: ValueOf<Properties[Name]>;
  }
>;

type Flat<Value> = { [Name in keyof Value]: Value[Name] };

/** JSON text of a value that a schema describes. */
export type JsonTextOf<Schema extends TSchema> = Json<ValueOf<Schema>>;
