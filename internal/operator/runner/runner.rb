# Calls a Ruby method for an rb> task.
#
# Usage: runner.rb COMMAND INPUT OUTPUT
#
# COMMAND is a name: [Module::Class.]method. INPUT is a JSON file {"params": {...}}; the arguments of
# the method are taken from there by name. What the method leaves in Digdag.env is written to OUTPUT
# as {"subtask_config": {}, "export_params": {}, "store_params": {}}, and an exception of the method
# as "error": {"class", "message", "backtrace"} beside them. An exception on the way to the method
# leaves no file. The exit status is not zero in both cases.
#
# The rules are in docs/spec/operators.md, section 3.4.

require 'json'

module DigdagEnv
  PARAMS = JSON.parse(File.read(ARGV[1], encoding: 'UTF-8'))['params']
  SUBTASK_CONFIG = {}
  EXPORT_PARAMS = {}
  STORE_PARAMS = {}
  STATE_PARAMS = {}
end

module Digdag
  # What a method sees as Digdag.env.
  class Env
    attr_reader :params, :subtask_config, :export_params, :store_params, :state_params

    def initialize
      @params = DigdagEnv::PARAMS
      @subtask_config = DigdagEnv::SUBTASK_CONFIG
      @export_params = DigdagEnv::EXPORT_PARAMS
      @store_params = DigdagEnv::STORE_PARAMS
      @state_params = DigdagEnv::STATE_PARAMS
      @subtask_index = 0
    end

    def store(params = {}, **keywords)
      @store_params.merge!(params, keywords)
    end

    def export(params = {}, **keywords)
      @export_params.merge!(params, keywords)
    end

    def set_state(params = {}, **keywords)
      @state_params.merge!(params, keywords)
    end

    # Adds a task: a mapping; a top-level method, with parameters or without; or a class (or its
    # name) and a method of it, with parameters or without.
    def add_subtask(*args)
      given = args.length
      params = given > 0 && args.last.is_a?(Hash) ? args.pop : {}
      config = params.dup
      case args.length
      when 0
        raise ArgumentError, wrong_count(given) if given.zero?
      when 1
        config['rb>'] = method_symbol(args[0]).to_s
      when 2
        method = method_symbol(args[1])
        config['rb>'] = "::#{class_with(args[0], method)}.#{method}"
      else
        raise ArgumentError, wrong_count(given)
      end
      check_json(config)
      @subtask_config["+subtask#{@subtask_index}"] = config
      @subtask_index += 1
      nil
    end

    private

    def wrong_count(count)
      "wrong number of arguments (#{count} for 1..3 with the last argument is a Hash)"
    end

    def method_symbol(name)
      raise ArgumentError, "Method name must be a Symbol but got #{name.inspect}" unless name.respond_to?(:to_sym)
      raise ArgumentError, "Method name can't include '.'" if name.to_s.include?('.')

      name.to_sym
    end

    def class_with(class_or_name, method)
      klass = class_or_name
      unless klass.is_a?(Class)
        unless klass.respond_to?(:to_sym)
          raise ArgumentError, "First argument must be a Class or Symbol but got #{klass.inspect}"
        end

        begin
          klass = Object.const_get(klass.to_s)
        rescue NameError
          raise ArgumentError, "Could not find class named #{class_or_name}"
        end
      end
      unless klass.respond_to?(method) || klass.public_method_defined?(method)
        raise ArgumentError, "Class #{klass} does not have method #{method.inspect}"
      end

      klass
    end

    def check_json(config)
      JSON.generate(config)
    rescue StandardError => e
      raise ArgumentError, "Parameters must be serializable using JSON: #{e}"
    end
  end

  ENVIRONMENT = Env.new
  private_constant :ENVIRONMENT

  def self.env
    ENVIRONMENT
  end
end

# Finds what a command names and calls it. Its own methods are out of the way of the project's.
class TrowelRunner
  def initialize(command, params)
    *path, name = command.split('.')
    @name = name.to_sym
    @class = path.empty? ? nil : Object.const_get(path.join('.').sub(/\A::/, ''))
    @params = params
  end

  # The method to call and its arguments; an instance is made if it is an instance's method.
  def prepare
    if @class.nil?
      target = TOPLEVEL_BINDING.receiver.method(@name)
      shown = @name.to_s
    elsif @class.public_method_defined?(@name)
      target = instance.method(@name)
      shown = "#{@class}##{@name}"
    else
      target = @class.method(@name)
      shown = "#{@class}.#{@name}"
    end
    [target, *bind(target.parameters, shown)]
  end

  private

  def instance
    parameters = @class.method(:new).parameters
    # Without a "new" of its own, a class hands all arguments to initialize.
    parameters = @class.instance_method(:initialize).parameters if parameters == [[:rest]]
    positional, keywords = bind(parameters, "#{@class}.new")
    keywords.empty? ? @class.new(*positional) : @class.new(*positional, **keywords)
  end

  def bind(parameters, shown)
    positional = []
    keywords = {}
    parameters.each do |kind, name|
      key = name.to_s
      if %i[req keyreq].include?(kind) && !@params.key?(key)
        raise ArgumentError, "Method '#{shown}' requires parameter '#{key}' but not set"
      end

      case kind
      when :req, :opt
        positional << @params[key] if @params.key?(key)
      when :keyreq, :key
        keywords[name] = @params[key] if @params.key?(key)
      when :keyrest
        keywords = symbolize(@params).merge(keywords)
      end
    end
    [positional, keywords]
  end

  def symbolize(hash)
    hash.each_with_object({}) do |(key, value), symbols|
      symbols[key.to_s.to_sym] = value.is_a?(Hash) ? symbolize(value) : value
    end
  end
end

$LOAD_PATH << File.expand_path(Dir.pwd)

target, positional, keywords = TrowelRunner.new(ARGV[0], DigdagEnv::PARAMS).prepare
error = nil
begin
  keywords.empty? ? target.call(*positional) : target.call(*positional, **keywords)
rescue StandardError => e
  error = e
end

result = {
  'subtask_config' => DigdagEnv::SUBTASK_CONFIG,
  'export_params' => DigdagEnv::EXPORT_PARAMS,
  'store_params' => DigdagEnv::STORE_PARAMS
}
if error
  result['error'] = { 'class' => error.class.to_s, 'message' => error.message, 'backtrace' => error.backtrace }
end
File.write(ARGV[2], JSON.generate(result))
raise error if error
