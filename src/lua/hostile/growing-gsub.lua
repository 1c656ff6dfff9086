function agent.resolve()
  return { system = (("x"):rep(1000000):gsub("x", ("y"):rep(10000))) }
end
