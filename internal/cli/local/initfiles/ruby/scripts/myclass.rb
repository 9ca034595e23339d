# The tasks of the workflow. Digdag.env.store(key: value) keeps a value for later tasks.
class MyClass
  def setup(session_time)
    puts "ruby: session #{session_time} begins"
    Digdag.env.store(greeting: 'hello')
  end

  def repeat(order, animal, greeting)
    puts "ruby: #{greeting}, #{order} #{animal}"
  end

  def teardown(session_time)
    puts "ruby: session #{session_time} is done"
  end
end
