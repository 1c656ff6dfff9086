function agent.resolve()
  local list, part = {}, ("x"):rep(1 << 20)
  for index = 1, 1000 do list[index] = part end
  return { system = table.concat(list) }
end
