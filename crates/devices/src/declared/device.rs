//! The device itself: accesses by the rules, effects by the behaviour.

use super::declaration::Declaration;
use super::door::{Behaviour, Call, Opened};
use super::state::State;
use super::value::Value;
use crate::lane;
use socscope_device::{Context, Description, Device, RestoreError};
use socscope_memory::Width;
use std::sync::Arc;

/// A device of a declaration.
pub struct Declared {
    declaration: Arc<Declaration>,
    behaviour: Box<dyn Behaviour>,
    state: State,
}

impl Declared {
    /// A device at power-on.
    pub fn new(declaration: Arc<Declaration>, behaviour: Box<dyn Behaviour>) -> Declared {
        let state = State::new(&declaration);
        Declared {
            declaration,
            behaviour,
            state,
        }
    }

    /// Gives a variable another value, before the device is in a machine.
    ///
    /// # Errors
    /// The rule that the value breaks, or the names that there are.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        let variable = self.attribute_number(name)?;
        self.declaration.variables[variable].check(&value)?;
        self.state.variables[variable] = value;
        Ok(())
    }

    fn attribute_number(&self, name: &str) -> Result<usize, String> {
        let found = self.declaration.variable(name);
        let found = found.filter(|&number| self.declaration.variables[number].attribute);
        found.ok_or_else(|| {
            let attributes = self.declaration.variables.iter().filter(|it| it.attribute);
            let known: Vec<&str> = attributes.map(|it| it.name.as_str()).collect();
            let known = if known.is_empty() {
                "the device has none".into()
            } else {
                format!("there are: {}", known.join(", "))
            };
            format!("no attribute is called {name}; {known}")
        })
    }

    /// A register by its name, which has its index appended in an array.
    fn register_named(&self, name: &str) -> Option<Value> {
        let (register, index) = self.declaration.description.register_named(name)?;
        let place = self.declaration.place(register, index)?;
        Some(Value::Integer(i64::from(self.state.registers[place])))
    }

    fn line_named(&self, name: &str) -> Option<Value> {
        let outputs = self.declaration.description.outputs;
        let number = outputs.iter().position(|output| *output == name)?;
        Some(Value::Boolean(self.state.lines[number]))
    }

    fn act(&mut self, call: Call, context: &mut Context) -> Option<u32> {
        let mut opened = Opened {
            declaration: &self.declaration,
            state: &mut self.state,
            context,
        };
        match self.behaviour.call(call, &mut opened) {
            Ok(answer) => answer,
            Err(text) => {
                opened.context.fail(text);
                None
            }
        }
    }
}

impl Device for Declared {
    fn description(&self) -> &'static Description {
        self.declaration.description
    }

    fn reset(&mut self, context: &mut Context) {
        for (_, pending) in std::mem::take(&mut self.state.pending) {
            context.cancel(pending.id);
        }
        self.state.registers = self.declaration.reset_values();
        for (variable, value) in self
            .declaration
            .variables
            .iter()
            .zip(&mut self.state.variables)
        {
            if !variable.attribute {
                value.clone_from(&variable.initial);
            }
        }
        for (output, level) in self.state.lines.iter_mut().enumerate() {
            *level = false;
            context.set_line(output as u32, false);
        }
        if self.declaration.reset_effect {
            self.act(Call::Reset, context);
        }
    }

    fn read(&mut self, offset: u32, width: Width, context: &mut Context) -> u32 {
        let Some((register, index)) = self.declaration.register_at(offset) else {
            return 0;
        };
        let rule = self.declaration.rules[register];
        let answer = if rule.read_effect {
            self.act(Call::Read { register, index }, context)
        } else {
            None
        };
        let Some(place) = self.declaration.place(register, index) else {
            return 0;
        };
        let word = answer.unwrap_or(self.state.registers[place] & rule.readable);
        self.state.registers[place] &= !rule.read_clears;
        lane::read(word, offset, width, context.order)
    }

    fn write(&mut self, offset: u32, width: Width, value: u32, context: &mut Context) {
        let place = self.declaration.register_at(offset);
        let place = place
            .and_then(|(register, index)| {
                let place = self.declaration.place(register, index)?;
                Some((register, index, place))
            })
            .filter(|&(register, ..)| {
                let rule = self.declaration.rules[register];
                rule.write_effect || rule.writable | rule.one_clears | rule.one_sets != 0
            });
        let Some((register, index, place)) = place else {
            let what = match self.description().register_at(offset & !3) {
                Some((register, _)) => format!("{}, which is read-only", register.name),
                None => format!("{offset:#x}, where no register is"),
            };
            context.warn(format!("write of {value:#x} to {what}"));
            return;
        };
        let rule = self.declaration.rules[register];
        let (lanes, written) = lane::written(value, offset, width, context.order);
        let stored = &mut self.state.registers[place];
        let set = rule.writable & lanes;
        *stored = (*stored & !set) | (written & set);
        *stored &= !(written & rule.one_clears);
        *stored |= written & rule.one_sets;
        if rule.write_effect {
            // What a part of a word leaves out of a register that keeps what is written is what it holds.
            let kept = *stored & rule.writable & !lanes;
            let value = written | kept;
            self.act(
                Call::Write {
                    register,
                    index,
                    value,
                },
                context,
            );
        }
    }

    fn peek(&self, offset: u32, _context: &Context) -> Option<u32> {
        let Some((register, index)) = self.declaration.register_at(offset) else {
            return Some(0);
        };
        let rule = self.declaration.rules[register];
        let place = self.declaration.place(register, index)?;
        (!rule.read_effect).then(|| self.state.registers[place] & rule.readable)
    }

    fn event(&mut self, payload: u64, context: &mut Context) {
        if let Some(pending) = self.state.pending.remove(&payload) {
            let call = Call::Event {
                event: usize::from(pending.event),
                argument: pending.argument,
            };
            self.act(call, context);
        }
    }

    fn input(&mut self, line: u32, level: bool, context: &mut Context) {
        if self.declaration.input_effect {
            self.act(Call::Input { line, level }, context);
        }
    }

    fn attribute(&self, name: &str) -> Option<Vec<u8>> {
        let value = match self.declaration.variable(name) {
            Some(variable) => self.state.variables[variable].clone(),
            None => self
                .register_named(name)
                .or_else(|| self.line_named(name))?,
        };
        Some(value.to_bytes())
    }

    fn set_attribute(
        &mut self,
        name: &str,
        value: &[u8],
        context: &mut Context,
    ) -> Result<(), String> {
        self.set(name, Value::from_bytes(value)?)?;
        if self.declaration.change_effect {
            let variable = self.attribute_number(name)?;
            self.act(Call::Changed { variable }, context);
        }
        Ok(())
    }

    fn another(&self) -> Option<Box<dyn Device>> {
        Some(Box::new(Declared::new(
            self.declaration.clone(),
            self.behaviour.another(),
        )))
    }

    fn save(&self) -> Vec<u8> {
        self.state.save(&self.declaration)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.state = State::restore(&self.declaration, bytes)?;
        Ok(())
    }
}
